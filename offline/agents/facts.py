"""Facts that the rules take from pages, files and records, and their searches outside the shop.

They read the files' words, quote some of their lines, and see no picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from drr.citations.files import file_place
from drr.env.drawer.form import media_of
from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.offline.agents.memory import Cites, Memory, SeenOrder, SeenPage, SeenPart, plain, sentences
from drr.offline.agents.question import Asked, asides_of, content_words, is_quality, is_stop, read, state_name
from drr.wording.states import STATES

MOST = 5
_NAMES_MOST, _THING, _WORDS = 2, 4, 6
_FILE = re.compile(r"\(?[\w-]{1,80}\.(?:pdf|xlsx|csv|eml|html?|md|txt|png|jpe?g)\b\)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_](?:[^\W_]|['’-](?=\w))*|[^\w\s]")
_BREAK = frozenset(".?!:;")


def searches(text: str) -> list[str]:
    """List short searches: each thing by its name, then the names with the words of each clause that asks.
    Where nothing has a name, the question's main word stands in."""
    text = _FILE.sub(" ", text)
    things = list(dict.fromkeys(_things(text)))
    names = " ".join(list(dict.fromkeys(name for name, _ in things))[:_NAMES_MOST])
    names = names or read(text).topic
    if not names:
        return []
    found = [f"{name} {thing}".strip() for name, thing in things[:_NAMES_MOST]]
    named = {word.lower() for one in (names, *found) for word in one.split()}
    for clause in asides_of(text):
        words = [word for word in _WORD.findall(clause) if word[0].isalnum() and content_words(word)]
        words = [word for word in words if word.lower() not in named][:_WORDS]
        if len(words) >= 2:
            found.append(f"{names} {' '.join(words)}")
    return list(dict.fromkeys(found))[:MOST]


def names_in(text: str) -> set[str]:
    """The words by which things are named, as they are compared."""
    return {word for name, _ in _things(_FILE.sub(" ", text)) for word in content_words(name)}


def _things(text: str) -> Iterator[tuple[str, str]]:
    """Yield names in the middle of a sentence with the words of the thing beside them. Behind, or before a small word."""
    words = _WORD.findall(text)
    place = 0
    while place < len(words):
        if not _is_name(words, place):
            place += 1
            continue
        end = place
        while end < len(words) and words[end][0].isupper():
            end += 1
        name = " ".join(words[place:end])
        thing: list[str] = max(_behind(words, end), _before(words, place), key=len)
        yield name, " ".join(thing)
        place = end


def _is_name(words: list[str], place: int) -> bool:
    word = words[place]
    first = place == 0 or words[place - 1] in _BREAK
    return word[0].isupper() and len(word) > 1 and not first and not is_stop(word)


def _behind(words: list[str], start: int) -> list[str]:
    found: list[str] = []
    for word in words[start : start + _THING]:
        if not word[0].isalpha() or is_stop(word) or not content_words(word):
            break
        found.append(word)
    return found


def _before(words: list[str], end: int) -> list[str]:
    """`bypass pruning shears from Finchfield`."""
    found: list[str] = []
    for word in reversed(words[max(0, end - 1 - _THING) : max(0, end - 1)]):
        if not word[0].isalpha() or is_stop(word) or not content_words(word):
            break
        found.insert(0, word)
    return found


_MOST_FILES, _PER_FILE, _LONGEST = 6, 5, 240
_VALUE = re.compile(r"(?:[A-Z][a-z]{2,8} )?[$€#]?\d[\w.,:/-]{0,30}(?:,? [\w.%]{1,8})?")
"""A date, an amount, a number with its unit."""
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“(])")
Calls = list[tuple[str, JsonObject]]


class Quotation(NamedTuple):
    """A line of a file that bears on the question."""

    text: str
    part: SeenPart

    @property
    def quoted(self) -> str:
        """Set in quotation marks only what stands so: cells and lines that were put together are no quotation."""
        text = self.text.rstrip(".")
        return f"“{text}”" if text in " ".join(self.part.text.split()) else text


def look_at_files(memory: Memory) -> tuple[str, Calls]:
    """List the files, then read the beginning of each that has words."""
    if not memory.called("list_files"):
        return "The files that belong to the question come first.", [("list_files", {})]
    tried = {call.arguments.get("name") for call in memory.calls if call.name == "read_file"}
    unread = [name for name in memory.papers if name not in tried]
    return "What the files say is known nowhere else.", [
        ("read_file", {"name": name}) for name in unread[:_MOST_FILES]
    ]


def search_files(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """Search files that are longer than what was read of them for the places that speak of the question."""
    words = " ".join(dict.fromkeys(content_words(task.text)))[:200].strip()
    searched = {call.arguments.get("name") for call in memory.calls if call.name == "search_file"}
    left = [name for name in memory.unfinished if name not in searched]
    return "The longer files hold more than their beginning.", [
        ("search_file", {"name": name, "query": words}) for name in left[:_MOST_FILES] if words
    ]


def planned_looks(task: Asked, files: Sequence[str], *, references: bool) -> Calls:
    """All at once: the list, and those of `files` that the question names, else the first ones of the list."""
    named = [name for name in _named(task.text, files) if media_of(name) != "picture"][:_MOST_FILES]
    if not named and references:
        named = [f"$1.items[{number}].name" for number in range(4)]
    return [("list_files", {}), *(("read_file", {"name": name}) for name in named)]


def _named(text: str, files: Sequence[str]) -> list[str]:
    """Find the named files in the order of the text. Of `orders 2022.csv` and `2022.csv` the longer where both could fit."""
    names = {name.casefold(): name for name in files}
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    matches = re.findall(rf"(?<![\w./-])(?:{either})(?![\w/-]|\.\w)", text.casefold()) if names else []
    return [names[one] for one in dict.fromkeys(matches)]


def ask_the_pages(task: Asked, memory: Memory) -> tuple[str, Calls]:
    """Ask the pages once, where files belong to the question. What it names and what it asks of that, side by side."""
    if memory.called("web_search") or not memory.has_files:
        return "", []
    return "What the files do not say may stand on pages.", [
        ("web_search", {"query": words}) for words in searches(task.text)
    ]


def quotations(task: Asked, memory: Memory, most: int = 12) -> list[Quotation]:
    """Quote the lines that share most words with the question, names above all, then those with a figure. A
    few of each file, in its order."""
    wanted, names = set(content_words(_unnamed(task.text, memory))), names_in(task.text)
    rated: list[tuple[float, int, Quotation]] = []
    for number, (part, line) in enumerate(_lines(memory)):
        words = tokens(line)
        hits = len(wanted.intersection(words)) + len(names.intersection(words))
        figures = any(word[0].isdigit() for word in words)
        is_telling = hits or (figures and not _is_row(part))
        if is_telling and len(words) >= 2 and len(line) <= _LONGEST:
            weight = hits + (1.0 if figures and ": " in line else 0.5 if figures else 0.0)
            # Of those that share no word, the first ones: papers say early what they are about.
            rated.append((-weight / (len(words) ** 0.3 if hits else 2), number, Quotation(line, part)))
    kept: list[tuple[int, Quotation]] = []
    for _, number, one in sorted(rated, key=lambda entry: entry[:2]):
        same_file = sum(1 for _, other in kept if other.part.name == one.part.name)
        if same_file < _PER_FILE and one.text not in [other.text for _, other in kept]:
            kept.append((number, one))
        if len(kept) == most:
            break
    return [one for _, one in sorted(kept, key=lambda entry: entry[0])]


def _unnamed(text: str, memory: Memory) -> str:
    """Drop the names of the files: their words reveal nothing of what is in them."""
    for name in (*memory.papers, *memory.pictures):
        text = text.replace(name, " ")
    return text


def _is_row(part: SeenPart) -> bool:
    """Tell whether it is a row of a table: one among many, of which most add nothing to a question."""
    place = file_place(part.url)
    return place is not None and place.kind in ("row", "cell")


def _lines(memory: Memory) -> Iterator[tuple[SeenPart, str]]:
    for part in memory.parts.values():
        for line in _joined(part.text.split("\n")):
            for piece in _END.split(line) if len(line) > _LONGEST else [line]:
                text = plain(piece.replace(" | ", "; "), 2 * _LONGEST).strip("; ")
                if text:
                    yield part, text


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """A bare value belongs to the words before it, as in a table whose cells were read one by one."""
    previous = ""
    for line in map(str.strip, lines):
        if previous and _VALUE.fullmatch(line):
            previous = f"{previous}: {line}" if previous[-1].isalpha() else f"{previous}; {line}"
            continue
        if previous:
            yield previous
        previous = line
    if previous:
        yield previous


def file_statements(task: Asked, memory: Memory, cites: Cites) -> str:
    lines = [
        f"- {plain(one.part.name, 80)}: {one.quoted} {cites(one.part.url, one.part.title)}."
        for one in quotations(task, memory)
    ]
    return "## What your files say\n\n" + "\n".join(lines) if lines else ""


def unseen(memory: Memory) -> str:
    """Say with the banner what rules cannot know."""
    if not memory.pictures:
        return ""
    which = (
        "the picture" if len(memory.pictures) == 1 else "the pictures"
    )  # a form takes no figure without its passage
    return f"> Rules see no pictures: what {which} among your files may show is missing here."


_TO_MACHINES = re.compile(
    r"ignore (?:all|any|the|previous|prior|your)\b|disregard (?:all|any|the|previous|prior|your)\b|system prompt|as an ai\b"
    r"|language model|update_user|tool call|(?:previous|prior|your|these|following) instructions",
    re.IGNORECASE,
)
_ODD = re.compile(
    r"\binstruct|\bprompt\b|\bassistants?\b|\bcall the\b|api key|password|[<>{}\\]|_\w+_|https?://",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\$\s?\d|\bdollars?\b|\bUSD\b", re.IGNORECASE)
_ADVERTISING = re.compile(
    r"buy now|order (?:now|today)|click|subscribe|sponsor|affiliate|discount|coupon|promo|limited time|free shipping"
    r"|our (?:store|shop|brand|product)|add to cart|% off",
    re.IGNORECASE,
)
_CLICKBAIT = re.compile(
    r"\bbest\b.*\b20\d\d\b|\btop \d+\b|surprise|miracle|secret|won't believe|hacks?\b|deals?\b|\bsponsored\b",
    re.IGNORECASE,
)


def web_facts(task: Asked, memory: Memory, most: int, each: int = 2) -> list[tuple[str, SeenPage]]:
    """List the sentences with most on the question, at most `each` of a page. None that sell or talk to machines."""
    chosen: list[tuple[str, SeenPage]] = []
    for _, _, sentence, page in sorted(_weighed(task, memory), key=lambda entry: entry[:3]):
        if sum(1 for _, other in chosen if other.url == page.url) < each and not _is_repeated(
            sentence, chosen
        ):
            chosen.append((sentence, page))
        if len(chosen) == most:
            break
    return chosen


def _weighed(task: Asked, memory: Memory) -> Iterator[tuple[float, int, str, SeenPage]]:
    """Usable sentences that speak of the question, the best with the least number; and the place of their page."""
    alone = memory.for_itself
    names = names_in(task.text) if memory.has_files else set()
    wanted = subject(task) | {word for ask in task.asks for word in content_words(ask)}
    wanted |= set(content_words(task.text)) if alone else set()
    home = state_name(memory.home.state) if memory.home else None
    known_words = wanted | set(content_words(task.text))
    for place, page in enumerate(memory.pages.values()):
        if _of_another_state(page.title, home) or _CLICKBAIT.search(page.title):
            continue
        if not alone and known_words.isdisjoint(
            content_words(" ".join(word for word in page.title.split() if not is_stop(word)))
        ):
            continue  # the same words of another thing: how foam pillows age, on a page on dog beds
        for sentence in sentences(page.text):
            words = tokens(sentence)
            weight = _weight(task, wanted, words)
            if weight is None or not usable(sentence) or (not alone and _AMOUNT.search(sentence)):
                continue
            if not names or not names.isdisjoint(words):
                yield -weight, place, plain(sentence, 300), page


def _weight(task: Asked, wanted: set[str], words: Sequence[str]) -> float | None:
    """Weigh how much a sentence has on the question. `None` where it is off the topic, too short or too long."""
    hits = len(wanted.intersection(words))
    on_topic = hits >= 2 or (hits == 1 and task.topic in words)
    if not (on_topic and 5 <= len(words) <= 45):
        return None
    figures = 0.5 if any(word[0].isdigit() for word in words) else 0.0
    weight: float = (hits + figures) / len(words) ** 0.3
    return weight


def _is_repeated(sentence: str, chosen: Sequence[tuple[str, SeenPage]]) -> bool:
    """Tell whether most of its words stand in a sentence that was chosen before."""
    words = set(tokens(sentence))
    return any(len(words & set(tokens(other))) > 0.6 * len(words) for other, _ in chosen)


def _of_another_state(title: str, home: str | None) -> bool:
    """A page on one state is no advice for a shopper who lives in another."""
    named = [name for name in STATES.values() if name in title]
    return home is not None and bool(named) and home not in named


def for_machines(text: str) -> bool:
    """Words that no shopper is meant to read: they are neither repeated nor obeyed."""
    return _TO_MACHINES.search(text) is not None


def usable(sentence: str) -> bool:
    return (
        sentence[0].isupper()
        and sentence[-1] in ".!"
        and "…" not in sentence
        and not for_machines(sentence)
        and not _ODD.search(sentence)
        and not _ADVERTISING.search(sentence)
    )


def related_orders(task: Asked, memory: Memory, most: int) -> list[SeenOrder]:
    """The shopper's own purchases that bear on the question, else the latest."""
    wanted = subject(task)
    kept = [order for order in memory.orders.values() if order.kept]
    near = [order for order in kept if wanted.intersection(content_words(order.title))]
    named = [order for order in kept if is_named(task, order.title)]
    return list(dict.fromkeys([*named[:1], *(near or kept[: 2 if task.about_history else 0])]))[:most]


def is_named(task: Asked, title: str) -> bool:
    """Tell whether the question speaks of this purchase by name."""
    words = set(tokens(title))
    return any(len(words.intersection(tokens(name))) >= 0.7 * len(set(tokens(name))) for name in task.named)


def subject(task: Asked) -> set[str]:
    """The words that name what the question is about."""
    named = {word for need in task.needs for word in content_words(need)} | {task.topic}
    if not task.needs:
        named |= set(content_words(task.text))
    return {word for word in named if word and not is_quality(word)}


def summarise(search: str, problem: str, page: str, words: int = 220) -> str:
    """The sentences of a page that serve a search and a problem, in the order of the page."""
    wanted = set(content_words(search)) | set(content_words(problem))
    lines = [
        s
        for s in dict.fromkeys(sentences(page))
        if s[-1] in ".!?" and not for_machines(s) and len(s.split()) >= 4
    ]
    rated = sorted(
        range(len(lines)), key=lambda place: (-len(wanted.intersection(tokens(lines[place]))), place)
    )
    kept: list[int] = []
    for place in rated:
        if not wanted.intersection(tokens(lines[place])):
            break
        if sum(len(lines[k].split()) for k in kept) + len(lines[place].split()) > words:
            continue
        kept.append(place)
        if len(kept) == 9:
            break
    if not kept:
        return "The page holds nothing on this search."
    return " ".join(lines[place] for place in sorted(kept))

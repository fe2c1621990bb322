"""The takings of the rules from pages and records: sentences that serve the question, purchases that bear on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from drr.env.text import tokens
from drr.offline.agents.memory import Memory, SeenOrder, SeenPage, plain, sentences
from drr.offline.agents.papers import names_in
from drr.offline.agents.question import Asked, content_words, is_quality, is_stop, state_name
from drr.wording.states import STATES

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
        if not alone and known_words.isdisjoint(_named_in(page.title)):
            continue  # the same words of another thing: how foam pillows age, on a page on dog beds
        for sentence in sentences(page.text):
            words = tokens(sentence)
            weight = _weight(task, wanted, words)
            if weight is None or not usable(sentence) or (not alone and _AMOUNT.search(sentence)):
                continue
            if not names or not names.isdisjoint(words):
                yield -weight, place, plain(sentence, 300), page


def _named_in(title: str) -> list[str]:
    return content_words(" ".join(word for word in title.split() if not is_stop(word)))


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

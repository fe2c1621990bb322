"""The question of a case, in 50 to 100 words: it names the files, asks for every part, and says no figure.

What is said stands in `words/`, whole sentences and clauses by hand. What recurs from task to task is dealt from shuffled decks, so that
one sentence comes again only when all others of its sort were used.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from drr.filetasks.case import PlannedFile, TaskCase
from drr.filetasks.planning.kinds import short_name
from drr.filetasks.truth import Intent
from pydantic import BaseModel, ConfigDict

FEWEST, MOST = 50, 100
_DRAWS = 80
_INTENTS = 5
"""So many tasks on, the same intent comes again."""
_DIRECT, _TOLD, _CLOSED = 0.62, 0.6, 0.72
"""Shares: of questions that ask directly, that say what stands in each file, that end with a wish."""
_ASKING = (
    "What",
    "When",
    "Which",
    "How",
    "Is",
    "Does",
    "Do",
    "Can",
    "Would",
    "Will",
    "By",
    "Until",
    "Has",
    "Did",
    "Could",
    "Whose",
)
_LIVES = (
    "; I live in {}",
    "; we live in {}",
    " (I am in {})",
    "; we are in {}, should that matter",
    " (this is {})",
    "; my state is {}",
)
_LIVED = re.compile(r"; ((?:I|we|my) [^?.]+)\?$")
"""A question does not end with where one lives."""
_START = re.compile(r"(^|[.?!:]\s+)([a-z][\w.-]*)")
_VOWEL = re.compile(r"\b([Aa]) (?=[aeiouAEIOU](?!ne\b|ni|se|ti|su))")


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedPart(_Words):
    """The ways to ask for one part of an answer."""

    asks: tuple[str, ...]
    direct: tuple[str, ...]


class IntentWords(_Words):
    """What is said in questions of one intent."""

    openings: tuple[str, ...]
    parts: dict[str, AskedPart]


class FileWords(_Words):
    """How files are spoken of."""

    doc: dict[str, tuple[str, ...]]
    what: dict[str, dict[str, tuple[str, ...]]]
    """As `nouns` and as `clauses`, by the beginning of an attribute."""
    frames: dict[str, tuple[str, ...]]


class QuestionFrames(_Words):
    """How what is asked is put, how a question ends, and in which order it is told."""

    frames: dict[str, tuple[str, ...]]
    closings: dict[str, tuple[str, ...]]
    orders: dict[str, tuple[str, ...]]


@dataclass
class _Dealer:
    """Deals from decks by the number of a task; `rng` only decides what may well recur."""

    seed: int
    number: int
    attempt: int
    rng: Random
    slots: Mapping[str, str]
    dealt: dict[str, int] = field(default_factory=dict)

    def deal(self, deck: str, cards: Sequence[str], every: int = 1) -> str:
        """The next card of a deck, never one twice in a question; `every` so many tasks draw from it."""
        order = Random(f"{self.seed}/{deck}").sample(range(len(cards)), len(cards))
        again = self.dealt.get(deck, 0)
        self.dealt[deck] = again + 1
        at = self.number // every + 3 * self.attempt + again * (len(cards) // 2 + 1)
        return self.filled(cards[order[at % len(cards)]])

    def pick(self, cards: Sequence[str]) -> str:
        return self.filled(self.rng.choice(cards))

    def filled(self, card: str, more: Mapping[str, str] | None = None) -> str:
        """The slots of the case; those of a frame stay for the frame."""
        known = {**self.slots, **(more or {})}
        return re.sub(r"\{(\w+)\}", lambda slot: known.get(slot[1], slot[0]), card)


def written_question(case: TaskCase, attempt: int = 0) -> str:
    """Another attempt says the same in other words."""
    best, best_miss = "", MOST
    for draw in range(_DRAWS):
        text = _drawn(case, attempt, draw)
        count = len(text.split())
        miss = max(FEWEST - count, count - MOST, 0)
        if miss < best_miss:
            best, best_miss = text, miss
        if not miss:
            break
    return best


def _drawn(case: TaskCase, attempt: int, draw: int) -> str:
    digits = re.sub(r"\D", "", case.task_id)
    rng = Random(f"{case.seed}/{case.task_id}/{case.user_id}/question/{attempt}/{draw}")
    dealer = _Dealer(case.seed, max(0, int(digits[-6:] or 1) - 1), attempt, rng, _slots(case, rng))
    intent, frames = _intent(case.intent), _frames()
    closed = rng.random() < _CLOSED
    said = {
        "o": dealer.deal(f"{case.intent}/openings", intent.openings, _INTENTS),
        "a": _asked(case, intent, dealer),
        "c": dealer.deal("closings", frames.closings["lines"]) if closed else "",
    }
    said["o"] = _LIVED.sub(r"? \1.", said["o"])
    said["f"], told = _files(case, dealer)
    orders = frames.orders["with" if closed else "without"]
    order = rng.choice([one for one in orders if not (told and one.startswith("f"))]).split()
    text = " ".join(said[part] for part in order)
    if len(text.split()) < FEWEST:
        text = f"{text} {dealer.deal('closings', frames.closings['lines'])}"
    return _START.sub(_begun, _VOWEL.sub(r"\1n ", text))


def _begun(match: re.Match[str]) -> str:
    """A sentence begins with a capital, a file's name stays as it is; after a colon only a question does."""
    word = match[2]
    name = "." in word.rstrip(".") or "_" in word or match[1].startswith(":")
    return match[1] + (word if name else word[0].upper() + word[1:])


def _asked(case: TaskCase, intent: IntentWords, dealer: _Dealer) -> str:
    """Each part as a question of its own, or all of them in one or two sentences."""
    frames = _frames().frames
    if dealer.rng.random() < _DIRECT:
        said: list[str] = []
        for part in case.couplings:
            one = dealer.deal(f"{case.intent}/{part.key}", intent.parts[part.key].direct, _INTENTS)
            plain = said and one.split()[0] in _ASKING and not any(had.startswith("And ") for had in said)
            lead = dealer.pick(frames["and_then"]) if plain else ""
            said.append(f"{lead}{one[0].lower()}{one[1:]}" if lead else one)
        return " ".join(said)
    asks = [
        dealer.deal(f"{case.intent}/{part.key}/asks", intent.parts[part.key].asks, _INTENTS)
        for part in case.couplings
    ]
    name = ("one", "two", "three")[len(asks) - 1] if len(asks) <= 3 else "three"
    frame = dealer.deal(f"asks/{name}", frames[name])
    rest = ", ".join(asks[2:]) if len(asks) > 3 else asks[-1]
    return dealer.filled(frame, {"a": asks[0], "b": asks[min(1, len(asks) - 1)], "c": rest})


def _files(case: TaskCase, dealer: _Dealer) -> tuple[str, bool]:
    """What stands in each of them (which is told of the thing, so that it comes after it), or a list of what was kept."""
    words, rng = _file_words(), dealer.rng
    files = list(case.files)
    rng.shuffle(files)
    if rng.random() >= _TOLD or len(files) > 4:
        docs = [_bare(_doc(file, words, dealer, plain=len(files) > 1)) for file in files]
        sort = "one" if len(docs) == 1 else "kept"
        frame = dealer.deal(sort, words.frames[sort])
        return dealer.filled(frame, {"list": _listed(docs)}), False
    apart = len(files) == 1 or rng.random() < 0.5
    told = [_told(file, words, dealer, apart=apart) for file in files]
    if not apart:
        return f"{', '.join(told[:-1])}, and {told[-1]}.", True
    return " ".join(
        f"{one}." if "." in one.split()[0] else f"{one[0].upper()}{one[1:]}." for one in told
    ), True


def _doc(file: PlannedFile, words: FileWords, dealer: _Dealer, *, plain: bool) -> str:
    """`plain`: without a comma, as it stands in a list."""
    ways = [one for one in words.doc[file.form] if not (plain and "," in one)]
    return dealer.rng.choice(ways).replace("{f}", file.name)


def _told(file: PlannedFile, words: FileWords, dealer: _Dealer, *, apart: bool) -> str:
    """A clause without its period; a file whose name is set off by a comma gets the second one where words follow."""
    sort = dealer.rng.choice(("nouns", "clauses"))
    whats = list(dict.fromkeys(_what(entry.attribute, words.what[sort], dealer) for entry in file.entries))
    doc = _doc(file, words, dealer, plain=not apart)
    ways = words.frames[sort] + (words.frames[f"alone_{sort}"] if apart else ())
    frame = dealer.deal(f"told/{sort}/{apart}", ways)
    ends = frame.endswith(("{doc}", "{docs}"))
    said = doc if ends or "," not in doc else f"{doc},"
    more = {
        "what": _listed(whats),
        "doc": said,
        "docs": _bare(said),
        "are": "are" if len(whats) > 1 else "is",
    }
    return dealer.filled(frame, more)


def _what(attribute: str, words: Mapping[str, Sequence[str]], dealer: _Dealer) -> str:
    return dealer.pick(words[max((one for one in words if attribute.startswith(one)), key=len)])


def _bare(doc: str) -> str:
    """Without its preposition."""
    return doc.partition(" ")[2]


def _listed(parts: Sequence[str]) -> str:
    """With semicolons where a part has a comma of its own."""
    if len(parts) == 1:
        return parts[0]
    if any("," in part for part in parts):
        return f"{'; '.join(parts[:-1])}; and {parts[-1]}"
    return f"{', '.join(parts[:-1])}{',' * (len(parts) > 2)} and {parts[-1]}"


def _slots(case: TaskCase, rng: Random) -> dict[str, str]:
    thing, rival, many = case.thing, case.rival, case.thing.plural
    other = "" if rival is None else rival.noun
    name = _named(thing.brand, short_name(thing.noun) if other == thing.noun else thing.noun)
    verbs = {
        "is": "are",
        "has": "have",
        "does": "do",
        "was": "were",
        "stands": "stand",
        "costs": "cost",
        "weighs": "weigh",
    }
    found = {
        "name": name,
        "noun": short_name(thing.noun),
        "brand": thing.brand,
        "Brand": thing.brand,
        "rival": "" if rival is None else _named(rival.brand, rival.noun),
        "rival_noun": "new one" if short_name(other) == short_name(thing.noun) else short_name(other),
        "rival_is": "is",
        "rival_measures": "measures",
        "seller": case.seller,
        "Seller": case.seller,
        "live": rng.choice(_LIVES).format(case.state) if case.state else "",
        "piece": _piece(case.facts),
        "it": "they" if many else "it",
        "them": "them" if many else "it",
        "a_new": "new ones" if many else "a new one",
        "a_name": name if many else f"a {name}",
        "a_noun": short_name(thing.noun) if many else f"a {short_name(thing.noun)}",
        **{one: (others if many else one) for one, others in verbs.items()},
    }
    found["Is"] = found["is"].capitalize()
    return found


def _named(brand: str, noun: str) -> str:
    """`my The Value Store kettle` is said by nobody."""
    return f"{noun} from {brand}" if brand.startswith("The ") else f"{brand} {noun}"


def _piece(facts: Iterable[object]) -> str:
    """Which part broke: its number is in the drawer, its name is in the question."""
    said = (str(getattr(fact, "attribute", "")).partition("part number of the ")[2] for fact in facts)
    return next((piece for piece in said if piece), "")


@cache
def _intent(intent: Intent) -> IntentWords:
    return IntentWords(**_table(intent))


@cache
def _file_words() -> FileWords:
    return FileWords(**_table("files"))


@cache
def _frames() -> QuestionFrames:
    return QuestionFrames(**_table("asks"))


def _table(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    with (Path(__file__).parent / "words" / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)

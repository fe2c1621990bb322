"""The question of a case, in 50 to 100 words. It names the files, asks for all that every part decides, and gives no figure.

What is said stands in `words/`, by hand: a story that says why somebody asks, the files as attachments are spoken of, what is asked, and
seldom a wish at the end. What recurs from task to task is dealt from shuffled decks, so that one sentence comes again only when all
others of its sort were used; how the pieces are put together is drawn.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from drr.papers.dr3.case import Coupling, NamedThing, PlannedFile, TaskCase
from drr.papers.dr3.form import FrozenRow
from drr.papers.dr3.planning.kinds import kind_of, short_name
from drr.papers.dr3.truth import Intent

FEWEST, MOST = 50, 100
_DRAWS = 120
_INTENTS = 5
"""So many tasks on, the same intent comes again."""
_SLOW, _SLOWLY = 3, ("/stories", "/stories/short")
"""Attempts at which a story stays: they are few, and another question is mostly enough."""
_PATIENT = 30
"""Draws after which the shorter stories and frames are dealt alone: what is asked needs the room."""
_NO_ROOM = 2
"""Shortness of room at which the files alone tell which make a thing is."""
_FRAMED_SHARE = 0.6
"""Share of questions about an earlier make that say so: otherwise the file with its date tells."""
_BUILDS = {"told": 30, "listed": 34, "paired": 22, "described": 14}
"""Weights of the ways to name files: contents of each, a list, each with its use, a list with contents."""
_WISHES, _COUNTED, _CLOSED = 0.3, 0.16, 0.4
"""Shares: of questions that ask in clauses ("whether ..."), that count what they ask, that end with a wish."""
_START = re.compile(r"(^|[.?!]\s+|\((?:\d|[a-c])\) )([a-z][\w.-]*)")
_ASKS = re.compile(
    r"(?:What|When|Which|Who|How|Is|Does|Do|Did|Can|Could|Will|Would|Has|Am|By|Until|Around|On|Are)\b"
)
"""Openings of a question that may follow "And"."""
_MANY = re.compile(r"(?:my|the) (?:notes|past orders|instructions)\b")
"""Files that are several things."""
_VOWEL = re.compile(r"\b([Aa]) (?=[aeiouAEIOU](?!ne\b|ni|se|ti|su))")


class AskedPart(FrozenRow):
    """The ways to ask for one part of an answer: as questions, and as clauses."""

    asks: tuple[str, ...]
    wants: tuple[str, ...]
    joins: str
    """The point of the checklist for what its facts come to."""


class IntentWords(FrozenRow):
    """Words of questions of one intent."""

    stories: tuple[str, ...]
    lives: tuple[str, ...] = ()
    """Ways to say where the shopper lives, where terms depend on that."""
    parts: dict[str, AskedPart]
    conclusion: str
    """The point of the checklist for the end of an answer."""


class FileWords(FrozenRow):
    """Words for files."""

    doc: dict[str, tuple[str, ...]]
    what: dict[str, tuple[str, ...]]
    """Words by the beginning of an attribute."""
    frames: dict[str, tuple[str, ...]]


class QuestionFrames(FrozenRow):
    """Frames that put together what is asked, and ends of questions."""

    frames: dict[str, tuple[str, ...]]
    earlier: dict[str, tuple[str, ...]]
    """Ways to say that it is not of the latest make."""
    closings: dict[str, tuple[str, ...]]


@dataclass
class _Dealer:
    """Deals from decks by the number of a task; `rng` only decides what may well recur."""

    seed: int
    number: int
    attempt: int
    rng: Random
    slots: Mapping[str, str]
    tight: int = 0
    """Shortness of room: 0, 1 or 2."""
    dealt: dict[str, int] = field(default_factory=dict)

    def deal(self, deck: str, cards: Sequence[str], every: int = 1) -> str:
        """The next card of a deck, never one twice in a question; `every` so many tasks draw from it."""
        order = Random(f"{self.seed}/{deck}").sample(range(len(cards)), len(cards))
        again = self.dealt.get(deck, 0)
        self.dealt[deck] = again + 1
        at = (
            self.number // every
            + self.attempt // (_SLOW if deck.endswith(_SLOWLY) else 1) * 3
            + again * (len(cards) // 2 + 1)
        )
        return self.filled(cards[order[at % len(cards)]])

    def deal_short(self, deck: str, cards: Sequence[str], every: int = 1, share: float = 1 / 3) -> str:
        """Deal one of the shortest cards where room is short."""
        shortest = sorted(cards, key=len)[: max(2, round(len(cards) * share / max(1, self.tight)))]
        return self.deal(f"{deck}/short", shortest, every) if self.tight else self.deal(deck, cards, every)

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
    dealer = _Dealer(
        case.seed,
        max(0, int(digits[-6:] or 1) - 1),
        attempt,
        rng,
        _slots(case),
        (draw >= _PATIENT) + (draw >= 2 * _PATIENT),
    )
    words, closings = intent_words(case.intent), _frames().closings["lines"]
    build = rng.choices(list(_BUILDS), list(_BUILDS.values()))[0]
    lines = [
        dealer.deal_short(f"{case.intent}/stories", words.stories, _INTENTS),
        *([dealer.deal("lives", words.lives, _INTENTS)] if words.lives and case.state else []),
    ]
    if case.earlier_make is not None and dealer.tight < _NO_ROOM and rng.random() < _FRAMED_SHARE:
        whose = "own" if case.rival is None else "candidate"
        lines.append(dealer.deal_short(f"held/{whose}", _frames().earlier[whose], share=1))
    if build == "paired":
        lines.append(_paired(case, words, dealer))
    else:
        about, asked = _files(case, build, dealer), _asked(case, words, dealer)
        lines += [asked, about] if rng.random() < 0.3 else [about, asked]
    closed = rng.random() < _CLOSED
    for _ in range(3):
        short = len(" ".join(lines).split()) < FEWEST
        if short or closed:
            lines.append(dealer.deal("closings", closings))
        closed = False
    return _START.sub(_begun, _VOWEL.sub(r"\1n ", " ".join(lines)))


def _begun(match: re.Match[str]) -> str:
    """A sentence begins with a capital, a file's name stays as it is."""
    word = match[2]
    name = "." in word.rstrip(".") or "_" in word
    return match[1] + (word if name else word[0].upper() + word[1:])


def _asked(case: TaskCase, words: IntentWords, dealer: _Dealer) -> str:
    """Put each part as a question of its own, with or without its number, or all as clauses. The clauses make one or two sentences."""
    rng, frames = dealer.rng, _frames().frames
    way = rng.random()
    if way < _WISHES:
        return _wished(case, words, dealer)
    asks = [_ask(case, part, words, dealer) for part in case.couplings]
    if way < _WISHES + _COUNTED and all(ask.count("?") == 1 and "." not in ask for ask in asks):
        marks = rng.choice(frames["counted"]).split("|")
        counted = " ".join(
            f"{mark.strip()} {_small(ask) if ',' in mark else ask}"
            for mark, ask in zip(marks, asks, strict=False)
        )
        leads = frames["leads"] if marks[0].startswith("(") else ("",)
        return f"{dealer.deal('leads/counted', leads)} {counted}".strip()
    lead = "" if dealer.tight else dealer.deal("leads", frames["leads"])
    return " ".join([lead, *_joined(asks, dealer)]).strip()


def _wished(case: TaskCase, words: IntentWords, dealer: _Dealer) -> str:
    frames = _frames().frames
    wants = [
        dealer.deal(f"{case.intent}/{part.key}/wants", words.parts[part.key].wants, _INTENTS)
        for part in case.couplings
    ]
    sort = ("one", "two", "three")[min(len(wants), 3) - 1]
    rest = ", ".join(wants[2:]) if len(wants) > 3 else wants[-1]
    frame = dealer.deal(f"wants/{sort}", frames[sort])
    return dealer.filled(frame, {"a": wants[0], "b": wants[min(1, len(wants) - 1)], "c": rest})


def _ask(case: TaskCase, part: Coupling, words: IntentWords, dealer: _Dealer) -> str:
    return dealer.deal_short(f"{case.intent}/{part.key}", words.parts[part.key].asks, _INTENTS, 2 / 3)


def _joined(asks: Sequence[str], dealer: _Dealer) -> list[str]:
    """Join the questions, of which at most one, not the first, begins as people go on: `And ...`."""
    lines, led = [asks[0]], False
    for ask in asks[1:]:
        lead = "" if led or not _ASKS.match(ask) else dealer.pick(_frames().frames["then"])
        led = led or bool(lead)
        lines.append(f"{lead}{_small(ask)}" if lead else ask)
    return lines


def _small(ask: str) -> str:
    """Write the question as it goes on after a word. A capital that is one by itself stays."""
    return ask if re.match(r"I\b|[A-Z]{2}", ask) else ask[0].lower() + ask[1:]


def _files(case: TaskCase, build: str, dealer: _Dealer) -> str:
    words, rng = _file_words(), dealer.rng
    files = list(case.files)
    rng.shuffle(files)
    if build == "told" and len(files) <= 4:
        if len(files) == 1 or rng.random() < 0.5:
            return " ".join(f"{_large(_framed_file(file, words, dealer))}." for file in files)
        return _in_a_row(files, words, dealer)
    docs = [_bare(_doc(file, words, dealer, plain=len(files) > 1)) for file in files]
    kept = words.frames["kept"]
    if build == "described" and len(files) <= 3:
        kept = tuple(frame for frame in kept if frame.endswith("{list}."))
        docs = [
            f"{doc} with {_listed(_whats(file, words, dealer))}"
            for doc, file in zip(docs, files, strict=True)
        ]
    return dealer.filled(dealer.deal_short(f"kept/{len(kept)}", kept), {"list": _listed(docs)})


def _paired(case: TaskCase, words: IntentWords, dealer: _Dealer) -> str:
    """Put behind each thing that is asked the files that hold what it needs. What holds more than that is named once."""
    files, named = _file_words(), set[str]()
    lines: list[str] = []
    for part in case.couplings:
        lines.append(_ask(case, part, words, dealer))
        own = [
            file
            for file in case.files
            if file.name not in named and {one.fact for one in file.entries} & set(part.facts)
        ]
        named |= {file.name for file in own}
        if own:
            lines.append(
                f"{_large(_framed_file(own[0], files, dealer))}."
                if len(own) == 1
                else _in_a_row(own, files, dealer)
            )
    return " ".join(lines)


def _doc(file: PlannedFile, words: FileWords, dealer: _Dealer, *, plain: bool) -> str:
    """`plain`: without a comma, as it stands in a list."""
    ways = [one for one in words.doc[file.form] if not (plain and "," in one)]
    return dealer.rng.choice(ways).replace("{f}", file.name)


def _in_a_row(files: Sequence[PlannedFile], words: FileWords, dealer: _Dealer) -> str:
    frame = dealer.rng.choice(words.frames["joined"])
    lines = [_framed(file, frame, words, dealer) for file in files]
    return _large(f"{', '.join(lines[:-1])}, and {lines[-1]}.")


def _framed_file(file: PlannedFile, words: FileWords, dealer: _Dealer) -> str:
    """A sentence of its own, without its period."""
    ways = words.frames["joined"] + words.frames["alone"]
    return _framed(file, dealer.deal("told", ways), words, dealer)


def _framed(file: PlannedFile, frame: str, words: FileWords, dealer: _Dealer) -> str:
    whats, doc = _whats(file, words, dealer), _doc(file, words, dealer, plain=True)
    many = _MANY.match(_bare(doc)) is not None
    more = {
        "what": _listed(whats),
        "doc": doc,
        "docs": _bare(doc),
        "are": "are" if len(whats) > 1 else "is",
        "has": "have" if many else "has",
        "shows": "show" if many else "shows",
    }
    return dealer.filled(frame, more)


def _whats(file: PlannedFile, words: FileWords, dealer: _Dealer) -> list[str]:
    """List what stands in a file that matters."""
    found = []
    for entry in file.entries:
        start = max((one for one in words.what if entry.attribute.startswith(one)), key=len)
        found.append(dealer.pick(words.what[start]))
    return list(dict.fromkeys(found))


def _bare(doc: str) -> str:
    """Remove the preposition."""
    return doc.partition(" ")[2]


def _large(text: str) -> str:
    return text if "." in text.split()[0] else text[0].upper() + text[1:]


def _listed(parts: Sequence[str]) -> str:
    """List the parts in one row, with semicolons where a part has a comma of its own."""
    if len(parts) == 1:
        return parts[0]
    if any("," in part for part in parts):
        return f"{'; '.join(parts[:-1])}; and {parts[-1]}"
    return f"{', '.join(parts[:-1])}{',' * (len(parts) > 2)} and {parts[-1]}"


def _slots(case: TaskCase) -> dict[str, str]:
    thing, rival = case.thing, case.rival
    return {
        "name": _named(thing),
        "noun": short_name(thing.noun),
        "brand": thing.brand,
        "Brand": thing.brand,
        "rival": "" if rival is None else _named(rival),
        "rival_brand": "" if rival is None else rival.brand,
        "seller": case.seller,
        "Seller": case.seller,
        "state": case.state or "",
        "place": case.place,
        "at": f"{'on' if case.place.endswith('shelf') else 'in'} the {case.place}",
        "per": kind_of(thing.noun).per,
        "piece": _piece(case.facts),
    }


def _named(thing: NamedThing) -> str:
    """`my The Value Store kettle` is said by nobody."""
    if not thing.brand.startswith("The "):
        return thing.name
    return f"{thing.noun} {thing.edition}".rstrip() + f" by {thing.brand}"


def _piece(facts: Iterable[object]) -> str:
    """Find which part broke. Its number is in the drawer, its name is in the question."""
    names = (str(getattr(fact, "attribute", "")).partition("part number of the ")[2] for fact in facts)
    return next((piece for piece in names if piece), "")


@cache
def intent_words(intent: Intent) -> IntentWords:
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

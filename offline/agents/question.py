"""How the rules read a question or a sub-problem: what is to be found, within which limits, with whose help."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.env.states import STATES
from drr.env.text import stem, tokens

MOST_NEEDS = 4

_STOP_WORDS = """
sizes rivals rival
longer spread above easier aim explain served wears outdated
altogether nothing thoughtful added exchanged worries worry purchases problems like sent alike hold held
combinations combination ready disappointment clear write independent sources source disagree brand larger pack packs materials checklist successor
reorder higher alive anything travelling traveling
a about across add after again against all almost along already also although always am among an and another
any anyone anything are around as ask at available away back based be became because become been before being
below best better between both bring but buy buying by can cannot check choose choosing come compare compared
comparing complete consider considering consistently cost costs could current currently cut deal decide
delivered design did different do does doing done dont down during each either else end enough even ever every
everyone everything exactly exceed excellent expert explain favourite favorite few figure find finding first
fit for from full further get getting give given go goes going good got great guide had half happy has have
having he help helpful her here high highly him his how i id i'd i'll i'm i've idea ideas if ill im important
improve in include including instead into is it it's its ive just keep keeping kind know last late least less
let like limit line list little live local long look looking lot low made maintain make makes making many
match matter matters maximum may maybe me mean means mid might mind mine minimum more most move much must my
myself native near nearby need needed needing needs never new next nice no none nor not now of off often ok
old on once one only onto open option options or order ordered ordering orders other others our out over
overall own owned pages part past pay per perhaps pick picks place plan planning please point possible prefer
preferably price priced prices pricing probably product products provide purchase purchased purchases put
quality question quick quite range rate rated rating ratings rather read really reason recent recently
recommend recommendation recommendations recommended refresh remember replace replacing report research
respect respectively review reviews right room run same save saving say season second see sensible set several
shall share she shop shopping short should show side similar simple since single small so solid some somebody
someone something soon sort special specific spend spending spent start state states stay step still
stock stuff style such suggest suggestion suggestions suit suitable sum sure take taking tell ten than thank
thanks that the their them then there these they thing things think this those three through throughout till
time times to today together too total toward towards trade try trying twice two type typical typically under
until up upgrade upgrading us use used useful using usual usually value various very via want wanted wanting
was way ways we week weeks well were what when where whether which while who whole whom whose why will wish
with within without wonder wondering work working works worth would year year-round years yes yet you your
yours month monthly months day days dollar dollars usd budget catalog catalogue history records shopper's
shopper shop's item items piece pieces area areas setup advice answer attract cheaper cheapest affordable
bought buys four five six january february march april june july august september october november december
winter summer spring autumn fall christmas birthday gift gifts present friend mother father sister brother
daughter son wife husband kids kid family friendly everyday daily regular regularly home seems seem feel feels
prefers pros cons difference differences details advantage advantages disadvantages web online site sites
website features feature pro con won't don't can't doesn't isn't aren't didn't wasn't haven't that's what's
there's let's ones lives bears exist exists unlike restocking reordering upgraded replacement replacements
worn tired broken interested interest hand hands nervous keen safer safest watching
"""
_STOP = frozenset(_STOP_WORDS.split())
_SMALL_WORDS = """
a about also am an and are as at be been best buy by can could do does for from get give good has have help
how i i'd i'm if in is it its keep like me my need of on or our please recommend should so some tell than that
the their them there these they this to under want was what when where which while who why will with would you
your
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_QUALITY = re.compile(
    r"(?:.*-(?:resistant|proof|friendly|free|safe|duty|quality|term|lasting|maintenance)|.+(?:able|ible)|easy|quiet|safe|strong"
    r"|light|heavy|soft|gentle|sturdy|natural|organic|eco|waterproof|weatherproof|nontoxic|non-toxic|big|large|compact|cheap)$"
)
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-])*[^\W\d_]|[^\W\d_]|\S")
_WANTED_WORDS = """
research among find need buy get want recommend compare replace between looking including include suggest add gift
reorder restock try choose pick
"""
_WANTED = frozenset(_WANTED_WORDS.split())
_OWNED = re.compile(
    r"(?:\bmy (?:current|old|existing|present|last)|\b(?:already|currently) (?:have|own|use)|\bi (?:have|own|bought|ordered|purchased)"
    r"|\bthan just (?:a|my)|\binstead of (?:a|my))\W+(?:\w[\w-]*\W+){0,2}$",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:design|designing|put(?:ting)? together|set(?:ting)? up|create|creating|build|building|arrange|start|starting|make"
    r"|making|upgrad(?:e|ing)|plan(?:ning)?|better) +(?:(?:a|an|my|our|the|home|complete|small|new|simple|out|to|good) +)*$",
    re.IGNORECASE,
)
_FOR_WHOM = re.compile(
    r"\b(?:for|suits?|fits?|around|near) +(?:(?:a|an|my|our|the|his|her|their|home) +)*(?:[\w-]+ +)?$",
    re.IGNORECASE,
)
_LOOKING = re.compile(
    r"(?:\blook(?:ing|ed)?|search(?:ing)?|shop(?:ping)?|ask(?:ing)?|hunt(?:ing)?|market|need|options?|recommendations?"
    r"|suggestions?|\$[\d.,]+) +for\b *(?:[\w-]+ +){0,3}$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:what|how|when|where|why|which(?! (?:[\w-]+ ){1,4}(?:should|would|do|can) (?:i|you|we)\b)|whether(?! (?:a|an)\b)|by|look(?:ing)? at|against|according to|into account|in mind|such as"
    r"|like my|as soon as|so that|because|whose|who)\b",
    re.IGNORECASE,
)
_WH = re.compile(r"(?:what|how|when|where|why|which|whether)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:explain|find out|research|look up|sources for|understand|advice on|write on|know|learn|tell me|check)\W+(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_SHALL = re.compile(
    r"\b(?:should|would|could|shall) (?:i|you|we) (?:buy|get|choose|pick|take|restock|reorder|order)\b",
    re.IGNORECASE,
)
_BEST = re.compile(r"which\b|what (?:is|are|would be|'s)\b", re.IGNORECASE)
_WANTS = re.compile(
    r";|\b(?:(?:recommend|suggest|consider|add(?:ing)?|buy|get|choose|perhaps|is (?:a|an)|at least|thinking of|put together|whether (?:a|an)"
    r"|give (?:a|an))\b|which (?=(?:[\w-]+ ){1,4}(?:should|would|do|can) (?:i|you|we)\b))",
    re.IGNORECASE,
)
_CONTAINER = re.compile(
    r"\b(an?|some) (?:box|pack|pair|bottle|bag|roll|can|tube|set|jar) of\b", re.IGNORECASE
)
_REPLACED = re.compile(
    r"\breplac|\bworn\b|\bbroke|\bsuccessor\b|\bits end\b|\bdoes not do\b|\bno longer\b|\bthe same again\b|\bcome after\b",
    re.IGNORECASE,
)
_COMPOUND = re.compile(
    r"\b(pour|slow|stand|pull|push|lift|drop|snap|clip|press|plug|roll|fold|build)\s(over|up|in|on|down|out)\b(?=\s\w)",
    re.IGNORECASE,
)
_JOINS = frozenset((",", "and", "or", "plus", "&"))
_FIND = re.compile(r"^Find (.+?) in this shop's catalogue", re.IGNORECASE)
_PERSONAL = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|mine|our|we|shopper|shopper's)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:my|our) (?:\w+ )?(?:state|area|region|climate|zone|city|town|county|weather)\b|\blocal\b|\bnative\b|\bwhere i live\b|\blives?\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:again|reorder|restock|refill|replace|usual|last time|before|past|previous|bought|ordered|purchas|history|already|spend(?:ing)? on|favou?rite)",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|reorder|re-order|restock|refill|repurchase|buy more|run(?:ning)? out)\b", re.IGNORECASE
)
_WEB = re.compile(
    r"\b(?:on the web|expert|guide|safe|safety|toxic|recall|research|evidence|science|studies|how (?:to|much|often|big|many)|what (?:size|birds|plants|dose|temperature)|native|climate|trend|advice|tips|compatib|suitable|size)",
    re.IGNORECASE,
)
_RECORDS = re.compile(r"shop's records", re.IGNORECASE)
_ON_THE_WEB = re.compile(r"^Find out on the web (.+?)(?:\.\s|\.?$)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Asked:
    """A problem as the rules understand it."""

    text: str
    needs: tuple[str, ...]
    """What to look for in the catalogue, most wanted first."""
    wishes: tuple[str, ...]
    """Qualities asked for: "weather-resistant", "quiet"."""
    topic: str
    """The word that the question is about."""
    asks: tuple[str, ...]
    """What must be known besides products, as words for a web search."""
    constraints: Constraints
    named: tuple[str, ...]
    """Runs of capitals inside a sentence: things that were bought, by name."""
    personal: bool
    about_place: bool
    about_history: bool
    again: bool

    @property
    def limit(self) -> float | None:
        """For the whole purchase."""
        limits = self.constraints
        if limits.total_max is not None:
            return limits.total_max
        if limits.month_max is not None:
            return limits.month_max * (limits.months or 1)
        return None

    @property
    def item_limit(self) -> float | None:
        limits = [x for x in (self.constraints.item_max, self.limit) if x is not None]
        return min(limits, default=None)


@lru_cache(maxsize=256)
def read(text: str) -> Asked:
    """Total on any text."""
    text = _COMPOUND.sub(r"\1-\2", _CONTAINER.sub(r"\1 ", text[:6000]))
    constraints = parse_constraints(text)
    chunks = list(_chunks(text))
    counts = Counter(word for words, _, _ in chunks for word in map(stem, words))
    topic = next((word for word, count in counts.most_common(1) if count > 1), "")
    if (found := _FIND.match(text)) is not None:
        needs = [" ".join(found[1].split())]
    elif _RECORDS.search(text) or _ON_THE_WEB.match(text):
        needs = []
    else:
        needs = _needs(text, _wanted(chunks, constraints), topic)
    wishes = tuple(dict.fromkeys(w for words, _, _ in chunks for w in words if _QUALITY.match(w)))
    return Asked(
        text=text,
        needs=tuple(needs[:MOST_NEEDS]),
        wishes=wishes[:4],
        topic=topic or (tokens(needs[0])[-1] if needs else ""),
        asks=tuple(_asks(text)),
        constraints=constraints,
        named=tuple(_names(text)),
        personal=bool(_PERSONAL.search(text)),
        about_place=bool(_PLACE.search(text)),
        about_history=bool(_HISTORY.search(text)),
        again=bool(_AGAIN.search(text)),
    )


def with_history(task: Asked, titles: Sequence[str]) -> Asked:
    """Where "again" names nothing, it means the latest purchase."""
    if task.needs or not task.again or not titles:
        return task
    named = [word for word in titles[0].split(",")[0].split(" - ")[0].split() if word[:1].isalpha()][-3:]
    return replace(task, needs=(" ".join(named).lower(),)) if named else task


def records_only(text: str) -> bool:
    """A sub-problem about the shopper's records."""
    return _RECORDS.search(text) is not None


def web_only(text: str) -> str | None:
    """A sub-problem about the web: what is to be found out."""
    found = _ON_THE_WEB.match(text)
    return " ".join(found[1].split()) if found else None


def is_quality(word: str) -> bool:
    """A word that says how something should be, not what it is."""
    return _QUALITY.match(word) is not None


def content_words(text: str) -> list[str]:
    """The words that carry meaning, as the catalogue indexes them."""
    return [word for word in tokens(text) if word not in _STOP and not word.isdigit() and len(word) > 1]


def _chunks(text: str) -> list[tuple[list[str], int, bool]]:
    """Runs of words that carry meaning: the words, where they start, whether they stand in a list."""
    chunks: list[tuple[list[str], int, bool]] = []
    run: list[str] = []
    start, joined, listed = 0, False, False
    for match in _WORD.finditer(text + " ."):
        word = match[0].lower().replace("’", "'").removesuffix("'s")
        if _means_something(word) or (run and len(word) == 1 and word.isalpha() and word not in _STOP):
            if not run:
                start, listed = match.start(), joined
                if joined and chunks:
                    chunks[-1] = (*chunks[-1][:2], True)
            run.append(word)
            continue
        if run:
            chunks.append((run, start, listed))
            run = []
            joined = False
            if word not in _JOINS:
                listed = False
        joined = word in _JOINS or (joined and word in ("a", "an", "the", "some"))
    return chunks


def _means_something(word: str) -> bool:
    adverb = (
        word.endswith("ly") and len(word) > 5 and word not in ("family", "supply", "assembly", "butterfly")
    )
    return (
        len(word) > 1 and word[0].isalpha() and not adverb and word not in _STOP and stem(word) not in _STOP
    )


def _needs(text: str, chunks: list[tuple[list[str], int, bool]], topic: str) -> list[str]:
    """The chunks that name something to buy. A lone plural of a list ("feeders, houses, plants") takes the topic along."""
    rated: list[tuple[float, int, list[str]]] = []
    again = _REPLACED.search(text) is not None or _AGAIN.search(text) is not None
    listing, asides = _listing(text, chunks), _asides(text)
    for words, start, listed in chunks:
        if all(_QUALITY.match(word) for word in words):
            continue
        before = text[max(0, start - 60) : start]
        near = re.findall(r"[a-z']+", before.lower())[-3:]
        article = bool(near) and near[-1] in ("a", "an", "some")
        kept = words[-4:]
        score = 2.5 if listed else 0.0
        score += 2.0 if _WANTED.intersection(near) else 1.0 if near[-1:] == ["with"] else 0.0
        score += 1.5 if 2 <= len(words) <= 4 else 0.0
        score += 0.5 if article else 0.0
        score += 0.5 if topic in map(stem, words) else 0.0
        if _named(text, start):
            score += 1.5 if again and len(words) > 1 else -5.0
            kept = words[-3:]
        elif _OWNED.search(before):
            score += 2.5 if again else -4.0
        elif _GOAL.search(before) or (_FOR_WHOM.search(before) and not _LOOKING.search(before)):
            score -= 3.0
        if start < listing or any(low <= start < high for low, high in asides):
            score -= 4.0
        if len(kept) == 1 and not listed and not article and not _WANTED.intersection(near):
            score -= 2.0
        elif len(kept) == 1 and listed and not article and topic and stem(kept[0]) not in (topic, kept[0]):
            kept = [topic, *kept]
        rated.append((score, start, kept))
    if not rated:
        return []
    best = max(score for score, _, _ in rated)
    chosen: list[tuple[int, list[str]]] = []
    for score, start, words in sorted(rated, key=lambda entry: (-entry[0], entry[1])):
        stems = set(map(stem, words))
        if score < min(best - 2.6, 2.0) or len(chosen) == MOST_NEEDS or (chosen and score <= 0):
            break
        if not any(stems <= other or stems >= other for other in (set(map(stem, w)) for _, w in chosen)):
            chosen.append((start, words))
    return [" ".join(words) for _, words in sorted(chosen, key=lambda entry: entry[0])]


def _names(text: str) -> list[str]:
    found = re.findall(r"(?<![.?!:] )(?<!^)\b([A-Z][\w'’-]+(?:[\s&]+[A-Z][\w'’-]*){2,})", text)
    return list(dict.fromkeys(found))[:3]


def _named(text: str, start: int) -> bool:
    """A run of capitals inside a sentence is a name: of a thing that was bought, of a place."""
    return re.match(r"[A-Z][\w'’-]*(?:[\s&]+[A-Z][\w'’-]*)+", text[start:]) is not None and not re.search(
        r"(?:^|[.?!:]\s+)$", text[:start]
    )


def _asides(text: str) -> list[tuple[int, int]]:
    """Where a sentence asks for knowledge or names criteria: nothing there is to be bought, until a verb wants it again."""
    found = []
    for sentence in re.finditer(r"[^.?!]+", text):
        for start in _ASIDE.finditer(text, sentence.start(), sentence.end()):
            if text[sentence.start() : start.start()].strip() or not _BEST.match(text, start.start()):
                end = _WANTS.search(text, start.end(), sentence.end())
                found.append((start.start(), end.start() if end else sentence.end()))
    return found


def _wanted(
    chunks: list[tuple[list[str], int, bool]], constraints: Constraints
) -> list[tuple[list[str], int, bool]]:
    """Without what the question rules out."""
    unwanted = [set(tokens(phrase)) for phrase in constraints.exclusions]
    return [
        chunk
        for chunk in chunks
        if not any(phrase and phrase <= set(map(stem, chunk[0])) for phrase in unwanted)
    ]


def _listing(text: str, chunks: list[tuple[list[str], int, bool]]) -> int:
    """Where the list behind a colon begins: what stands before it in the sentence is what the list is for."""
    for match in re.finditer(r":\s", text):
        inside = [listed for _, start, listed in chunks if match.end() <= start < match.end() + 60]
        if any(inside):
            return match.start()
    return -1


def _asks(text: str) -> list[str]:
    """What the question wants to know besides products: its wh-clauses, reduced to the words that a search needs."""
    found: list[tuple[tuple[bool, bool], str]] = []
    covered = -1
    for start, end in _asides(text):
        clause = text[start:end]
        asked = _ASKED.search(text[max(0, start - 40) : start]) is not None
        if (start < covered and not asked) or not _WH.match(clause) or _SHALL.search(clause):
            continue
        covered = end
        words = [word for word in re.findall(r"[^\W\d_][\w'’-]+|\d+", clause) if word.lower() not in _SMALL]
        if len(content_words(clause)) >= 2:
            found.append(((not asked, _WEB.search(clause) is None), " ".join(words[:10])))
    if not found:
        whole = [s for s in re.split(r"(?<=[.?!])\s+", text) if s.endswith("?") and _WEB.search(s)]
        found += [
            ((True, False), " ".join(w for w in re.findall(r"[\w'-]+", s) if w.lower() not in _SMALL))
            for s in whole
        ]
    return [words for _, words in sorted(found, key=lambda entry: entry[0])][:2]


def state_name(state: str) -> str:
    """The name of a state that a profile gives as two letters, or as name and letters."""
    bare = state.partition(" (")[0]
    return STATES.get(bare.upper(), bare)

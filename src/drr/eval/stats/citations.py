"""Statistics of single citations: the verdict on each address that a claim cites, and whether the claim needs it.

The unit is (claim, address). After ALCE (Gao et al. 2023) a citation is irrelevant if it supports nothing alone and the claim's
other sources support the claim as well without it. `docs/judging-reference.md` states every definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from drr.eval.stats.faithfulness import OPEN, SCORE, UNREAD, UNREADABLE, Status, reachable_score

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    """The verdict on one claim and one address that it cites. All figures, tables, pages and exports of citations use these rows."""

    answer: str
    """The answer's key in the study."""
    variant: str
    query: str
    trial: int
    claim: str
    text: str
    """The claim in the judge's words."""
    scope: str
    """The claim that the citation is in. A citation of a group of statements has the first of them."""
    url: str
    type: str
    """Type of the source; empty where the judgement failed before the type was known."""
    status: Status | None
    """Verdict on this address alone; `None` where it was not judged yet."""
    together: Status | None
    """Verdict on all sources of this type that the claim cites."""
    needed: bool | None
    """True if the claim's sources, of all types, support less without this one. `None` is unknown; set only for an address that supports nothing alone."""
    is_source: bool
    """False for a made-up address: no tool returned it and the shop does not have it. A record that does not exist has the status `none`."""
    reason: str
    by: str | None
    """The decider: `judge`, `rule` or `rule over judge`."""
    judge: str
    protocol: str
    sha256: str | None
    passages: tuple[Place, ...] = ()
    """Places in the text that were shown."""
    spans: tuple[Place, ...] = ()
    """Places in the text that the verdict rests on."""

    @property
    def supports(self) -> bool | None:
        """Tell whether the address supports the claim at least in part, alone or as a needed part of a set.

        `None` if it was not judged yet, or its source could not be read; `False` if nothing could be read and the address is made up.
        """
        score = reachable_score(self.status)
        if score is not None:
            return True if score > 0 else self.needed
        return None if self.is_source or self.status not in UNREADABLE else False

    @property
    def supports_strictly(self) -> bool | None:
        """Return `supports`, with an unreadable source counted as no support."""
        return False if self.status in UNREADABLE else self.supports

    @property
    def standing(self) -> str:
        """Return the result in one word, for people and for counts."""
        if self.status is None:
            return "unjudged"
        if not self.is_source:
            return "made_up"
        if self.status == "none":
            return "undecided" if self.needed is None else "needed" if self.needed else "irrelevant"
        return self.status

    def line(self) -> dict[str, Any]:
        """Return the row as the exports have it, with lists as JSON has them."""
        found = {name: getattr(self, name) for name in COLUMNS}
        return found | {name: [list(place) for place in found[name]] for name in ("passages", "spans")}


COLUMNS = (
    *("answer", "variant", "query", "trial", "claim", "text", "scope", "url", "type", "status", "together"),
    *("needed", "supports", "standing", "reason", "by", "judge", "protocol", "sha256", "passages", "spans"),
)
"""Columns of the exported verdicts, in order. Unknown is `None`; `docs/judging.md`, section "Citations one by one", defines each."""
STANDINGS = (
    *("full", "partial", "needed", "irrelevant", "undecided"),
    *("made_up", "unreachable", "blocked", "empty", "not_frozen", "judge_error", "unquoted", "unjudged"),
)


def rows_by_citation(citations: Iterable[CitationVerdict]) -> list[list[CitationVerdict]]:
    """Group the rows of each citation, of an address in a claim or in a group of claims."""
    found: dict[tuple[str, str, str], list[CitationVerdict]] = {}
    for one in citations:
        found.setdefault((one.answer, one.scope, one.url), []).append(one)
    return list(found.values())


def count_standings(citations: Iterable[CitationVerdict]) -> dict[str, int]:
    """Count the citations by standing. A citation of a group of claims counts by its best standing."""
    best = (min((one.standing for one in own), key=STANDINGS.index) for own in rows_by_citation(citations))
    return dict.fromkeys(STANDINGS, 0) | Counter(best)


def unread_counts(standing: Mapping[str, int]) -> dict[str, int]:
    """Keep only the counts of citations whose source nobody read."""
    return {name: n for name, n in standing.items() if n and name in UNREAD}


def is_needed(
    alone: Counter[Status | None], together: Status | None, without: Status | None = None
) -> bool | None:
    """Tell whether a source that supports nothing alone is needed beside the claim's other sources. `alone` counts those of its type, and each other type as one.

    Without it, the others support at least what the best of them supports alone; of two sources, exactly what the other does.
    Only where these bounds do not decide, the verdict on the others `without` it counts.
    """
    count = sum(alone.values())
    best, whole = _best(alone), reachable_score(together)
    if count < 2 or best == SCORE["full"]:
        return False
    if whole is None:
        return None
    if whole <= best:
        return False
    if count == 2 and sum(n for status, n in alone.items() if reachable_score(status) is not None) == 2:
        return True
    rest = reachable_score(without)
    return None if rest is None else rest < whole


def _best(alone: Iterable[Status | None]) -> float:
    return max((score for status in alone if (score := reachable_score(status)) is not None), default=0.0)


def share(values: Iterable[bool | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def report_values(citations: Sequence[CitationVerdict] | None) -> dict[str, float | None]:
    """Compute every metric of one report. Unknown where extraction failed, a citation was not judged yet, or none could be read."""
    if citations is None:
        return dict.fromkeys(METHODS)
    # A share of the verdicts so far would be another figure.
    waits = any(one.status is None for one in citations)
    each = rows_by_citation(citations)
    return {
        "fp_citation": None if waits else share(_bears(one.supports for one in own) for own in each),
        "fp_citation_strict": None
        if waits
        else share(_bears(one.supports_strictly for one in own) for own in each),
        "n_citations": float(len(each)),
        "citations_unread": share(_is_unread(own[0]) for own in each),
    }


def _bears(supports: Iterable[bool | None]) -> bool | None:
    """Tell whether a citation supports its claim, or at least one claim of its group."""
    found = set(supports)
    return True if True in found else None if None in found else False


METHODS: Mapping[str, str] = {
    "fp_citation": "citations that support their claim, alone or as a needed part of a set / citations that could be read, mean over queries",
    "fp_citation_strict": "as fp_citation: citations that could not be read support nothing",
    "n_citations": "citations per report, each address of each claim or group of claims, mean over queries",
    "citations_unread": "citations whose source could not be read, or that nobody kept, but made-up ones / citations, mean over queries",
}


def _is_unread(one: CitationVerdict) -> bool | None:
    """Tell whether nobody could read the source. A made-up address has nothing to read."""
    return None if one.status in OPEN else one.is_source and one.status in UNREAD


def why_unknown(citations: Sequence[CitationVerdict]) -> str:
    """Return the reason why these citations have no precision."""
    if not citations:
        return "no claim cites an address"
    each = rows_by_citation(citations)
    if waiting := sum(any(one.status is None for one in own) for own in each):
        return f"{waiting:,} of {len(each):,} citations were not judged one by one; `drr judge STUDY --what citations` does it"
    counts = ", ".join(f"{count:,} {name}" for name, count in count_standings(citations).items() if count)
    return f"unknown for each of {len(each):,} citations: {counts}"


Found = Literal["supported", "unsupported", "unknown"]
"""Result for one address; `unknown` where the source could not be read."""
WHOLLY: Collection[str] = frozenset({"full"})
IN_PART: Collection[str] = frozenset({"full", "partial"})


def address_verdict(status: Status | None, supporting: Collection[str]) -> Found | None:
    """Return the result for one address, where the `supporting` verdicts count as support."""
    if status in UNREADABLE:
        return "unknown"
    if status is None or status not in SCORE:
        return None
    return "supported" if status in supporting else "unsupported"


class FactCounts(NamedTuple):
    """FACT of one report: how many citations are supported, and how many were judged. `None` where no source could be read."""

    supported: float | None
    judged: float | None

    @property
    def rate(self) -> float | None:
        return self.supported / self.judged if self.supported is not None and self.judged else None


def fact_counts(verdicts: Iterable[Found | None]) -> FactCounts:
    known = [verdict for verdict in verdicts if verdict in ("supported", "unsupported")]
    return FactCounts(float(known.count("supported")), float(len(known))) if known else FactCounts(None, None)


class FoundCounts(NamedTuple):
    """Numbers of one task's citations by verdict, without unreadable sources."""

    supported: int
    unsupported: int
    unknown: int


def found_counts(verdicts: Iterable[Found | None]) -> FoundCounts:
    known = Counter(verdicts)
    return FoundCounts(known["supported"], known["unsupported"], known["unknown"])


class FactFigures(NamedTuple):
    """A system's scores by FACT, the citation measure of DeepResearch Bench: valid citations, and their share."""

    citations_per_task: float | None
    valid_per_task: float | None
    rate: float | None


def fact_figures(tasks: Collection[FoundCounts], *, printed: int | None = None) -> FactFigures:
    """Compute FACT over the tasks that have a readable source.

    As its published code prints it, the counts are over all tasks with citations, `printed` of them, and the rate without any verdict is 0.
    """
    among = len(tasks) if printed is None else printed
    if not among:
        return FactFigures(None, None, None)
    supported = sum(one.supported for one in tasks)
    judged = supported + sum(one.unsupported for one in tasks)
    rate = supported / judged if judged else None if printed is None else 0.0
    return FactFigures(judged / among, supported / among, rate)

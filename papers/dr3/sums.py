"""DR3-Eval's six figures of one report, 0-100: insights of files and of pages, citation coverage, factual accuracy, instructions
followed, depth.

What has no answer is left out of its own figure. The mean of the six is unknown where one of them is; as printed it is of those that
there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Annotated, NamedTuple

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Flag, Name, PrintedMeans, RawRow, Unit
from drr.eval.stats.citations import IN_PART, WHOLLY, CitationVerdict, Found, found, share
from drr.eval.stats.faithfulness import Status
from pydantic import ConfigDict, Field


def pair_accuracy(verdicts: Iterable[Found | None]) -> float | None:
    """DR3-Eval's FA by its text, 0-100: supported pairs of claim and source; what could not be read is not supported."""
    value = share(None if verdict is None else verdict == "supported" for verdict in verdicts)
    return None if value is None else 100 * value


def claim_accuracy(by_claim: Iterable[Sequence[Found | None]]) -> float | None:
    """DR3-Eval's FA by its code, 0-100: claims all of whose sources support them."""
    return pair_accuracy(_every(verdicts) for verdicts in by_claim)


def _every(verdicts: Sequence[Found | None]) -> Found | None:
    """One that does not support decides, whatever the missing ones would say."""
    if any(verdict in ("unsupported", "unknown") for verdict in verdicts):
        return "unsupported"
    return None if None in verdicts else "supported"


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Every figure of one report."""
    by_claim: dict[str, list[Status | None]] = {}
    for one in citations:
        by_claim.setdefault(one.claim, []).append(one.status)
    return {
        "dr3_fa": pair_accuracy(found(one.status, WHOLLY) for one in citations),
        "dr3_fa_lenient": pair_accuracy(found(one.status, IN_PART) for one in citations),
        "dr3_fa_claims": claim_accuracy([found(s, IN_PART) for s in own] for own in by_claim.values()),
    }


SIX = ("ir_uf", "ir_sc", "cc", "fa", "if", "dq")
FIGURES = (*SIX, "avg", "ir_uf_mean", "ir_sc_mean")


class Dr3Raw(NamedTuple):
    """`None` in the place of a list: nobody asked."""

    ir_uf: Sequence[float | None] | None = None
    """Report's coverage of each insight of the files, 0-1."""
    ir_sc: Sequence[float | None] | None = None
    """Coverage of each insight of the sandbox's pages."""
    required: Sequence[str] | None = None
    cited: Sequence[str] | None = None
    fa: Sequence[bool | None] | None = None
    """Support of each pair of claim and source."""
    follows: Sequence[bool | None] | None = None
    """Fulfilment of each point of the checklist."""
    dq: float | None = None
    """A grade from 1 to 10."""


def dr3_figures(raw: Dr3Raw, *, printed: bool = False) -> dict[str, float | None]:
    """An insight counts where the report has it wholly; `_mean` gives part of one its part."""
    figures = {
        "ir_uf": _hundred(share(_wholly(raw.ir_uf))),
        "ir_sc": _hundred(share(_wholly(raw.ir_sc))),
        "cc": citation_coverage(raw.required, raw.cited),
        "fa": pair_accuracy(_verdict(one) for one in raw.fa or ()),
        "if": _hundred(share(raw.follows or ())),
        "dq": None if raw.dq is None else 10 * raw.dq,
    }
    known = [value for value in figures.values() if value is not None]
    whole = bool(known) and (printed or len(known) == len(SIX))
    return {
        **figures,
        "avg": fsum(known) / len(known) if whole else None,
        "ir_uf_mean": _hundred(_mean(raw.ir_uf)),
        "ir_sc_mean": _hundred(_mean(raw.ir_sc)),
    }


def citation_coverage(required: Sequence[str] | None, cited: Sequence[str] | None) -> float | None:
    """Each document once, however often it is named; `None` where none is required."""
    if required is None or cited is None:
        return None
    found = set(cited)
    return _hundred(share(one in found for one in set(required)))


def _wholly(scores: Sequence[float | None] | None) -> list[bool | None]:
    return [None if score is None else score == 1 for score in scores or ()]


def _verdict(supported: bool | None) -> Found | None:
    return None if supported is None else "supported" if supported else "unsupported"


def _mean(scores: Sequence[float | None] | None) -> float | None:
    known = [score for score in scores or () if score is not None]
    return fsum(known) / len(known) if known else None


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


ENDS = dict.fromkeys(FIGURES, (0.0, 100.0))


class Dr3Input(RawRow):
    """Whatever is absent is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_alias=True)

    ir_uf: list[Unit | None] | None = None
    ir_sc: list[Unit | None] | None = None
    required: list[Name] | None = None
    cited: list[Name] | None = None
    fa: list[Flag | None] | None = None
    follows: list[Flag | None] | None = Field(None, alias="if")
    dq: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1, le=10)] | None = None


class Dr3Sums(PrintedMeans[Dr3Input]):
    form = Dr3Input
    ends = ENDS

    def add(self, row: Dr3Input) -> JsonObject:
        raw = Dr3Raw(row.ir_uf, row.ir_sc, row.required, row.cited, row.fa, row.follows, row.dq)
        ours = dr3_figures(raw)
        self.n_unscored += sum(
            scores.count(None) for scores in (raw.ir_uf, raw.ir_sc, raw.fa, raw.follows) if scores is not None
        )
        self._ours.add(ours, row.task)
        self._printed.add(dr3_figures(raw, printed=True), row.task)
        return {**ours}

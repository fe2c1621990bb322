"""Computes DR3-Eval's six figures of one report, 0-100. They are recall of file facts and of page facts, citation coverage,
factual accuracy, instruction following and depth.

Unknown scores are left out of their figure. The mean of the six is unknown if one of them is; the printed mean is that of the known
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from drr.env.json_object import JsonObject
from drr.eval.stats.aggregate import Flag, Name, PrintedMeans, RawRow, Unit, plain_mean
from drr.eval.stats.citations import IN_PART, WHOLLY, CitationVerdict, Found, address_verdict, share
from pydantic import ConfigDict, Field

SIX = ("ir_uf", "ir_sc", "cc", "fa", "if", "dq")
FIGURES = (*SIX, "avg", "ir_uf_mean", "ir_sc_mean")


class Dr3Row(RawRow):
    """The raw scores of one report. An absent field is unknown, as it was not judged."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_alias=True)

    ir_uf: list[Unit | None] | None = None
    """Coverage of each insight of the files."""
    ir_sc: list[Unit | None] | None = None
    """Coverage of each insight of the sandbox's pages."""
    required: list[Name] | None = None
    cited: list[Name] | None = None
    fa: list[Flag | None] | None = None
    """Support of each pair of claim and source."""
    follows: list[Flag | None] | None = Field(None, alias="if")
    """Fulfilment of each point of the checklist."""
    dq: Annotated[float, Field(strict=True, allow_inf_nan=False, ge=1, le=10)] | None = None


def dr3_figures(row: Dr3Row, *, printed: bool = False) -> dict[str, float | None]:
    """Return the figures by name. An insight counts if the report states it in full; `_mean` figures count partial ones in part."""
    figures = {
        "ir_uf": percent(_stated_in_full(row.ir_uf)),
        "ir_sc": percent(_stated_in_full(row.ir_sc)),
        "cc": _coverage(row.required, row.cited),
        "fa": percent(row.fa or ()),
        "if": percent(row.follows or ()),
        "dq": None if row.dq is None else 10 * row.dq,
    }
    known = [value for value in figures.values() if value is not None]
    whole = bool(known) and (printed or len(known) == len(SIX))
    return {
        **figures,
        "avg": plain_mean(known) if whole else None,
        "ir_uf_mean": _mean(row.ir_uf),
        "ir_sc_mean": _mean(row.ir_sc),
    }


def percent(values: Iterable[bool | None]) -> float | None:
    """Return the percentage of true values among the known values."""
    value = share(values)
    return None if value is None else 100 * value


def _stated_in_full(scores: Iterable[float | None] | None) -> list[bool | None]:
    return [None if score is None else score == 1 for score in scores or ()]


def _mean(scores: Iterable[float | None] | None) -> float | None:
    value = plain_mean(scores or ())
    return None if value is None else 100 * value


def _coverage(required: Iterable[str] | None, cited: Iterable[str] | None) -> float | None:
    """Return the percentage of required documents that are cited, each counted once; `None` if none is required."""
    known = set(cited or ())
    return None if required is None or cited is None else percent(one in known for one in set(required))


class Dr3Sums(PrintedMeans[Dr3Row]):
    form = Dr3Row
    ends = dict.fromkeys(FIGURES, (0.0, 100.0))

    def add(self, row: Dr3Row) -> JsonObject:
        ours = dr3_figures(row)
        self.n_unscored += sum((own or []).count(None) for own in (row.ir_uf, row.ir_sc, row.fa, row.follows))
        self._ours.add(ours, row.task)
        self._printed.add(dr3_figures(row, printed=True), row.task)
        return {**ours}


def report_values(
    claims: Mapping[str, bool], citations: Sequence[CitationVerdict]
) -> dict[str, float | None]:
    """Return the factual accuracy of one report, over pairs of claim and source, and over claims."""
    by_claim: dict[str, list[Found | None]] = {}
    for one in citations:
        by_claim.setdefault(one.claim, []).append(address_verdict(one.status, IN_PART))
    return {
        "dr3_fa": percent(means_support(address_verdict(one.status, WHOLLY)) for one in citations),
        "dr3_fa_lenient": percent(means_support(address_verdict(one.status, IN_PART)) for one in citations),
        "dr3_fa_claims": percent(map(_all_support, by_claim.values())),
    }


def means_support(verdict: Found | None) -> bool | None:
    """Tell whether a verdict means support; an unreadable source does not support."""
    return None if verdict is None else verdict == "supported"


def _all_support(verdicts: Sequence[Found | None]) -> bool | None:
    """Tell whether all sources support; one that does not decides, even if others are unknown."""
    if any(means_support(verdict) is False for verdict in verdicts):
        return False
    return None if None in verdicts else True

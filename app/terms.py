"""How work is done, as plain data: what a study may cost, where its units run, what commands that are variants may do."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.app.spans import SpanTerms


@dataclass(frozen=True, kw_only=True)
class UnitTerms:
    """Bounds of units that are run now; what is not given stays as the study was last told."""

    budget: float | None = None
    """US dollars, of the whole study."""
    budget_tokens: int | None = None
    max_cost_per_unit: float | None = None
    limit: int | None = None
    """Begin at most so many units now."""
    units: int = 8
    """In flight."""
    retry_failed: bool = False
    quiet: bool = False


@dataclass(frozen=True, kw_only=True)
class PooledTerms(UnitTerms):
    """The same, and who runs them."""

    workers: int | None = None
    pool: str | None = None
    units_per_worker: int | None = None
    copy_shop: bool = False


@dataclass(frozen=True, kw_only=True)
class ProgramTerms:
    """What commands that are variants may do now, and where spans go; no study remembers it."""

    trust_agent: bool = False
    agent_sees: Sequence[str] = ()
    otel: SpanTerms | None = None


def given_among(arguments: Namespace, kind: type, but: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a configuration that the command line has under the same names."""
    names = {one.name for one in fields(kind)} - set(but)
    return {name: value for name, value in vars(arguments).items() if name in names}

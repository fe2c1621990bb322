"""Collects a verifier's findings and derives the verdict: consistent, consistent in part, or failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partialmethod
from math import isclose
from typing import Literal, NotRequired

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.study.blobs import LostText
from drr.study.form import naming_errors
from drr.study.unit import canonical_json
from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic reads it

Tier = Literal["consistent", "consistent in part", "failed"]


class FoundFault(TypedDict):
    check: str
    where: str
    """Name of the unit or file; empty for the whole bundle."""
    what: str


class Reproduced(TypedDict):
    """The result of a run of a drawn part of a bundle's questions again, as its signer states it."""

    variant: str
    metric: str
    ran: int
    """Number of drawn questions that were answered again and have a figure on both sides."""
    asked: int
    """Number of questions of the bundle."""
    seed: int
    """Seed of the draw."""
    fresh: bool
    """True where the questions were those of a shop made after the bundle was handed in, not the bundle's own."""
    contained: bool
    """True where no code of the agent's could reach the truth."""
    difference: float
    """Mean of the figures made again minus that of the bundle's."""
    ci_low: float | None
    ci_high: float | None
    could_show: float | None
    """Smallest difference that so many questions show in four of five cases."""
    holds: bool
    """False where the figures made again are worse beyond chance."""


_REPRODUCED = TypeAdapter(Reproduced)


class SignatureRow(TypedDict):
    """A signature by the bundle's maker, by a verifier, or by somebody who ran a part again."""

    key: str
    role: str
    known: bool
    """True where the key is among the keys that the verifier was given."""
    against: NotRequired[str]
    """Shop or nothing: the thing that a verifier held the bundle against."""
    reproduced: NotRequired[Reproduced]


def reproduced_of(stated: Mapping[str, object]) -> Reproduced:
    """Return a signer's statement with only its known fields, each of its type."""
    return _REPRODUCED.validate_python(
        {name: stated[name] for name in Reproduced.__annotations__}, strict=True
    )


ENOUGH = 30
"""Fewest questions of a reproduction: fewer can only fail to show that something is worse."""


def result_word(found: Reproduced) -> str:
    if not found["holds"]:
        return "not reproduced"
    return "reproduced" if found["ran"] >= ENOUGH else "no worse shown"


def one_line_result(found: Reproduced) -> str:
    """Return the result in one line, such as `reproduced (40 of 300, difference -.01 [-.06, .04])`."""
    ends = [_brief(one) for one in (found["ci_low"], found["ci_high"]) if one is not None]
    interval = f" [{', '.join(ends)}]" if ends else ""
    of = "fresh" if found["fresh"] else f"of {found['asked']:,}"
    return f"{result_word(found)} ({found['ran']:,} {of}, difference {_brief(found['difference'])}{interval})"


def _brief(value: float) -> str:
    return f"{value:z.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def message_without_advice(error: DrrError) -> str:
    """Return the error's message without the advice at its end."""
    return str(error).rpartition("; ")[0] or str(error)


def differing_values(stated: object, found: object, place: str = "") -> Iterator[str]:
    """Yield a line for each value that differs between the stated and the found document, with both values."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys()):
            yield from differing_values(
                stated.get(name), found.get(name), f"{place}.{name}" if place else str(name)
            )
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from differing_values(one, other, f"{place}[{number}]")
    elif not _is_same(stated, found):
        yield f"{place}: the bundle says {_short_json(stated)}, its contents give {_short_json(found)}"


def _is_same(stated: object, found: object) -> bool:
    """Tell whether two values are the same. Of numbers with a fraction nine digits count: another processor adds in another order and so rounds the last ones otherwise."""
    if isinstance(stated, float) and isinstance(found, float):
        return isclose(stated, found, rel_tol=1e-9, abs_tol=1e-9)
    return canonical_json(stated) == canonical_json(found)


def _short_json(value: object) -> str:
    text = canonical_json(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


@dataclass
class BundleFindings:
    """All findings on a bundle. `drr bundle verify --json` prints them with the verdict and its reasons."""

    root: str | None = None
    """Root hash that identifies the bundle; `None` where the file is not a bundle."""
    failed: list[FoundFault] = field(default_factory=list)
    """Contradictions in the bundle."""
    incomplete: list[FoundFault] = field(default_factory=list)
    """Gaps that the bundle itself admits."""
    not_checked: list[FoundFault] = field(default_factory=list)
    """Parts that could not be checked for lack of data, such as the shop."""
    not_excluded: list[str] = field(default_factory=list)
    """Manipulations that a consistent bundle cannot rule out."""
    signed: list[SignatureRow] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    place: str = "\0"
    """Folder with the unpacked bundle; findings say "bundle" in place of its path."""

    def _note(self, how: str, check: str, where: str, what: str) -> None:
        what = what.replace(self.place, "bundle")
        getattr(self, how).append({"check": check, "where": where, "what": what})

    fail = partialmethod(_note, "failed")
    lack = partialmethod(_note, "incomplete")
    skip = partialmethod(_note, "not_checked")

    @contextmanager
    def unless_broken(self, check: str, where: str) -> Iterator[None]:
        """Return a context that turns an error in a part into a finding. A withheld text counts as not checked, not as a fault."""
        try:
            with naming_errors(where):
                yield
        except LostText as lost:
            self.skip(check, where, str(lost))
        except DrrError as error:
            self.fail(check, where, message_without_advice(error))

    @property
    def kinds(self) -> dict[str, list[FoundFault]]:
        return {"failed": self.failed, "incomplete": self.incomplete, "not checked": self.not_checked}

    @property
    def tier(self) -> Tier:
        if self.failed:
            return "failed"
        return "consistent in part" if self.incomplete or self.not_checked else "consistent"

    def why(self) -> list[str]:
        """Return the reasons for a verdict below "consistent": the contradictions, else the gaps."""
        some = [*self.incomplete, *self.not_checked]
        words = [f"{one['check']}: {one['what']}" for one in some]
        counts = Counter([one["check"] for one in self.failed] or words)
        return [f"{what} ({count:,} times)" if count > 1 else what for what, count in counts.items()]

    def plain(self) -> JsonObject:
        """Return all findings as plain data, which `of` turns back into an object."""
        return {name: value for name, value in vars(self).items() if name != "place"}

    @classmethod
    def of(cls, plain: JsonObject) -> BundleFindings:
        return cls(**{**plain, "checked": Counter(plain["checked"])})

    def document(self) -> JsonObject:
        found = self.plain()
        words = {"tier": self.tier, "why": self.why(), "holds": not self.failed}
        return {"schema": 1, "bundle": found.pop("root"), **words, **found}

"""Collects a verifier's findings and derives the verdict: verified, verified in part, or failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partialmethod
from typing import Literal, TypedDict

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.study.blobs import LostText
from drr.study.form import reading
from drr.study.unit import canonical_json

Tier = Literal["verified", "verified in part", "failed"]


class FoundFault(TypedDict):
    check: str
    where: str
    """Name of the unit or file; empty for the whole bundle."""
    what: str


class SignatureRow(TypedDict):
    """A signature by the bundle's maker or by a verifier."""

    key: str
    role: str
    known: bool
    """True where the key is among the keys that the verifier was given."""


def cause_of(error: DrrError) -> str:
    """Return the error's message without the advice at its end."""
    return str(error).rpartition("; ")[0] or str(error)


def differing(stated: object, found: object, place: str = "") -> Iterator[str]:
    """Yield a line for each value that differs between the stated and the found document, with both values."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys()):
            yield from differing(stated.get(name), found.get(name), f"{place}.{name}" if place else str(name))
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True)):
            yield from differing(one, other, f"{place}[{number}]")
    elif canonical_json(stated) != canonical_json(found):
        yield f"{place}: the bundle says {_short(stated)}, its contents give {_short(found)}"


def _short(value: object) -> str:
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
            with reading(where):
                yield
        except LostText as lost:
            self.skip(check, where, str(lost))
        except DrrError as error:
            self.fail(check, where, cause_of(error))

    @property
    def kinds(self) -> dict[str, list[FoundFault]]:
        return {"failed": self.failed, "incomplete": self.incomplete, "not checked": self.not_checked}

    @property
    def tier(self) -> Tier:
        if self.failed:
            return "failed"
        return "verified in part" if self.incomplete or self.not_checked else "verified"

    def why(self) -> list[str]:
        """Return the reasons for a verdict below "verified": the contradictions, else the gaps."""
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

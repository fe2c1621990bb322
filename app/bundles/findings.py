"""The findings of a verifier, and the one word that they come to."""

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
    """The unit or file; empty where it is the whole bundle."""
    what: str


class SignatureRow(TypedDict):
    """Somebody who signed, as maker or as verifier."""

    key: str
    role: str
    known: bool
    """One of the keys that were named now."""


def cause_of(error: DrrError) -> str:
    """Say what is wrong, without what its maker may do about it."""
    return str(error).rpartition("; ")[0] or str(error)


def differing(stated: object, found: object, place: str = "") -> Iterator[str]:
    """Name the figures that are not what is said of them, with both."""
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
class Verified:
    """The findings. `drr bundle verify --json` gives all of it, with the tier and why."""

    root: str | None = None
    """Names the bundle; `None` where the file is none."""
    failed: list[FoundFault] = field(default_factory=list)
    """Contradictions."""
    incomplete: list[FoundFault] = field(default_factory=list)
    """Gaps that the bundle itself admits."""
    not_checked: list[FoundFault] = field(default_factory=list)
    """Parts that lack something to be checked by."""
    not_excluded: list[str] = field(default_factory=list)
    """Consistent things that prove nothing."""
    signed: list[SignatureRow] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)

    place: str = "\0"
    """The folder in which it is read, of which no finding speaks."""

    def _note(self, how: str, check: str, where: str, what: str) -> None:
        what = what.replace(self.place, "bundle")
        getattr(self, how).append({"check": check, "where": where, "what": what})

    fail = partialmethod(_note, "failed")
    lack = partialmethod(_note, "incomplete")
    skip = partialmethod(_note, "not_checked")

    @contextmanager
    def unless_broken(self, check: str, where: str) -> Iterator[None]:
        """Go on where a part is not of the form that we write. A text that is withheld is no fault."""
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
        """Say why it is not simply verified: what is wrong, else what is lacking."""
        some = [*self.incomplete, *self.not_checked]
        words = [f"{one['check']}: {one['what']}" for one in some]
        counts = Counter([one["check"] for one in self.failed] or words)
        return [f"{what} ({count:,} times)" if count > 1 else what for what, count in counts.items()]

    def plain(self) -> JsonObject:
        """All of it as plain data, of which `of` makes it again."""
        return {name: value for name, value in vars(self).items() if name != "place"}

    @classmethod
    def of(cls, plain: JsonObject) -> Verified:
        return cls(**{**plain, "checked": Counter(plain["checked"])})

    def document(self) -> JsonObject:
        found = self.plain()
        words = {"tier": self.tier, "why": self.why(), "holds": not self.failed}
        return {"schema": 1, "bundle": found.pop("root"), **words, **found}

"""What a rule is given and what it answers. A rule is a function of a `Subject`; it never raises and asks no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, Literal, NamedTuple, TypedDict

from drr.citations.addresses import addresses_in, host_of, path_steps
from drr.citations.files import KnownPlaces, file_place
from drr.citations.parse import Citations, parse
from drr.env.constraints import parse_constraints
from drr.env.drawer.media import media_of
from drr.env.entities import Product, User
from drr.env.query import Constraints
from drr.env.session import Session
from drr.env.shop import Shop
from drr.eval.checks.certainty import Certainty, held_back
from drr.eval.evidence.claims import Claim, extract_by_rules

Status = Literal["pass", "fail", "unverifiable"]
Span = tuple[int, int]
PRODUCT_ID = re.compile(r"(?<![A-Za-z0-9/_-])B[0O][A-Z0-9]{7,10}(?![A-Za-z0-9_-])")

_HISTORY = 500
"""Orders of a reader whose products may be meant."""


class CheckDocument(TypedDict):
    """A rule's answer as it is kept and printed."""

    status: Status
    value: Any
    spans: list[list[int]]
    evidence: list[str]


class Accusation(NamedTuple):
    """One statement that a rule holds to be wrong."""

    kind: str | None
    """The kind of statement; `None` where its rule does not say."""
    span: Span
    why: str
    bound: Certainty | None = None
    doubt: str | None = None
    """What keeps its rule from it."""


@dataclass(frozen=True)
class Check:
    """One rule's answer. `unverifiable` never counts as a pass."""

    status: Status
    value: Any = None
    spans: tuple[Span, ...] = ()
    evidence: tuple[str, ...] = ()
    accused: tuple[Accusation, ...] = ()
    """In the order of the spans."""
    doubted: tuple[Accusation, ...] = ()
    """What one doubt keeps from being accused."""

    def document(self) -> CheckDocument:
        return {
            "status": self.status,
            "value": self.value,
            "spans": [list(span) for span in self.spans],
            "evidence": list(self.evidence),
        }


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def unverifiable(reason: str) -> Check:
    return Check("unverifiable", evidence=(reason,))


@dataclass
class CheckTally:
    """Collects what a rule finds; one failure decides, and what could not be known is said beside what was."""

    passed: int = 0
    failed: int = 0
    unknown: int = 0
    accused: list[Accusation] = field(default_factory=list)
    doubted: list[Accusation] = field(default_factory=list)
    remarks: dict[str, None] = field(default_factory=dict)
    _told: set[tuple[Span, str]] = field(default_factory=set)

    def ok(self) -> None:
        self.passed += 1

    def fail(self, span: Span, why: str, bound: Certainty | None = None, kind: str | None = None) -> None:
        if (span, why) in self._told:
            return
        self._told.add((span, why))
        self.failed += 1
        self.accused.append(Accusation(kind, span, why, bound))

    def accuse(self, kind: str, span: Span, why: str, bound: Certainty, doubt: str | None = None) -> None:
        """A failure where the table of certainties admits it, else a remark with the reason."""
        reason = held_back(kind, bound, doubt)
        if reason is None:
            self.fail(span, why, bound, kind)
        elif reason == doubt:
            self.doubt(Accusation(kind, span, why, bound, doubt), f"{why}: {doubt}")
        else:
            self.unclear(f"{why}: {reason}")

    def outweigh(self, one: Accusation) -> None:
        """What is wrong in every reading, instead of what one reading accuses at its place."""
        met = [a for a in self.accused if a.span[0] < one.span[1] and one.span[0] < a.span[1]]
        self.accused = [a for a in self.accused if a not in met]
        self._told.difference_update((a.span, a.why) for a in met)
        self.failed -= len(met)
        self.accuse(one.kind or "", one.span, one.why, one.bound or Certainty.INFERRED)

    def accuse_besides(self, one: Accusation) -> None:
        """What is wrong where nothing else is accused yet."""
        if not any(a.span[0] < one.span[1] and one.span[0] < a.span[1] for a in self.accused):
            self.accuse(one.kind or "", one.span, one.why, one.bound or Certainty.INFERRED)

    def withdraw(self, kind: str, spans: Iterable[Span]) -> None:
        """What one reading accuses, where another bears it out."""
        spans = list(spans)

        def met(one: Accusation) -> bool:
            return one.kind == kind and any(a < one.span[1] and one.span[0] < b for a, b in spans)

        borne_out = [one for one in self.accused if met(one)]
        self.accused = [one for one in self.accused if one not in borne_out]
        self.doubted = [one for one in self.doubted if not met(one)]
        self.failed -= len(borne_out)
        self.passed += len(borne_out)

    def doubt(self, one: Accusation, remark: str) -> None:
        """What would be accused, but for a doubt."""
        self.unclear(remark)
        if one not in self.doubted:
            self.doubted.append(one)

    def add(self, other: CheckTally) -> None:
        """All that another one has collected."""
        self.passed += other.passed
        for one in other.accused:
            self.fail(one.span, one.why, one.bound, one.kind)
        self.doubted += [one for one in other.doubted if one not in self.doubted]
        self.unknown += other.unknown
        self.remarks |= other.remarks

    def unclear(self, why: str) -> None:
        self.unknown += 1
        self.remarks[why] = None

    def check(self, nothing: str, **value: Any) -> Check:
        counts = {
            "checked": self.passed + self.failed,
            "failed": self.failed,
            "unverifiable": self.unknown,
            **value,
        }
        remarks = tuple(islice(self.remarks, 20))
        if not (self.passed or self.failed or remarks):
            remarks = (nothing,)
        return answer(counts, self.accused, remarks, self.doubted)


def answer(
    counts: dict[str, Any],
    accused: Sequence[Accusation],
    remarks: Iterable[str],
    doubted: Iterable[Accusation] = (),
) -> Check:
    """A rule's answer by what it counted: one failure decides."""
    if any(one.bound is not None for one in accused):
        counts["certainty"] = [None if one.bound is None else one.bound.word for one in accused]
    passed = counts["checked"] - counts["failed"]
    return Check(
        "fail" if accused else "pass" if passed else "unverifiable",
        counts,
        tuple(one.span for one in accused),
        (*(one.why for one in accused), *remarks),
        tuple(accused),
        tuple(doubted),
    )


@dataclass
class Subject:
    """A report and whatever is known around it. Everything but the report may be missing."""

    report: str
    query: str | None = None
    constraints: Constraints | None = None
    """Read from the query where not given."""
    user_id: str | None = None
    shop: Shop | None = None
    session: Session | None = None
    """The view the answer was written in, where it changed the user's record."""
    shop_urls: Sequence[str] = ()
    returned: frozenset[str] | None = None
    """Canonical URLs that tools returned; `None` where no tool calls are known."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Evidence by canonical URL, beyond what the store knows."""

    @cached_property
    def _returned_places(self) -> KnownPlaces:
        return KnownPlaces(self.returned or ())

    @cached_property
    def _read_places(self) -> KnownPlaces:
        return KnownPlaces(self.texts)

    def was_returned(self, url: str) -> bool:
        """Of a place in a file: whether it shares something with what was returned, as a row of rows that were read."""
        return self.returned is not None and (
            url in self.returned or bool(self._returned_places.meeting(url))
        )

    def text_behind(self, url: str) -> str | None:
        """Of a place in a file also what was read around it; a picture has no text."""
        place = file_place(url)
        if place is not None and media_of(place.name) == "picture":
            return None
        found = [self.texts[known] for known in self._read_places.around(url)]
        return self.texts.get(url) or "\n\n".join(found) or None

    def is_of_table(self, url: str) -> bool:
        place = file_place(url)
        return place is not None and media_of(place.name) in ("csv", "xlsx")

    @cached_property
    def citations(self) -> Citations:
        if self.shop is None:
            return parse(self.report, next(iter(self.shop_urls), ""))
        return parse(
            self.report, self.shop.shop_url, lambda ids: {one.product_id for one in self.products(ids)}
        )

    @cached_property
    def claims(self) -> list[Claim]:
        return extract_by_rules(self.report, self.citations)

    @cached_property
    def demands(self) -> Constraints | None:
        if self.constraints is not None:
            return self.constraints
        return parse_constraints(self.query) if self.query else None

    @cached_property
    def user(self) -> User | None:
        if self.user_id is None or self.shop is None:
            return None
        return self.session.user(self.user_id) if self.session else self.shop.store.user(self.user_id)

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Hosts that count as the shop; empty where none is known."""
        given = [*self.shop_urls, *([self.shop.shop_url] if self.shop else [])]
        return frozenset(host for url in given if (host := host_of(url if "://" in url else f"http://{url}")))

    @cached_property
    def _products(self) -> dict[str, Product | None]:
        return {}

    def product(self, product_id: str) -> Product | None:
        if self.shop is None:
            return None
        if product_id not in self._products:
            self._products[product_id] = self.shop.store.product(product_id)
        return self._products[product_id]

    def products(self, ids: Iterable[str]) -> list[Product]:
        """Those of them that the shop has; none is read twice."""
        if self.shop is None:
            return []
        wanted = list(ids)
        if missing := [key for key in dict.fromkeys(wanted) if key not in self._products]:
            found = {one.product_id: one for one in self.shop.store.products(missing)}
            self._products.update((key, found.get(key)) for key in missing)
        return [one for key in wanted if (one := self._products[key]) is not None]

    @cached_property
    def ordered(self) -> Mapping[str, Product]:
        """What the reader ordered, by id, as far as the shop still has it."""
        if self.shop is None or self.user_id is None:
            return {}
        orders = self.shop.store.orders(self.user_id, limit=_HISTORY).items
        return {one.product_id: one for one in self.products(dict.fromkeys(one.product_id for one in orders))}

    def is_shop_url(self, url: str) -> bool:
        return bool(self.hosts) and host_of(url) in self.hosts

    def product_id_of(self, url: str) -> str | None:
        """The id a shop URL names, known or not; `None` for other hosts and the shop's front page."""
        if url not in self._ids:
            self._ids[url] = self._id_in(url)
        return self._ids[url]

    @cached_property
    def _ids(self) -> dict[str, str | None]:
        return {}

    def _id_in(self, url: str) -> str | None:
        if not self.is_shop_url(url):
            return None
        parts = path_steps(url)
        if not parts:
            return None
        shaped = [part for part in parts if PRODUCT_ID.fullmatch(part)]
        return shaped[-1] if shaped else parts[-1]


def returned_by(calls: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Every address that the results of these calls show, canonical.

    Only a tool of the shop or the web returns something: a thought, a researcher's words or a call that failed does not,
    and what a result repeats of its own arguments the model has said itself.
    """
    found: set[str] = set()
    for call in calls:
        if call.get("kind", "api") == "api" and not call.get("error"):
            shown = {name: value for name, value in call.items() if name not in _ASKED}
            found |= urls_in(shown) - urls_in(call.get("arguments"))
    return frozenset(found)


_ASKED = frozenset(["name", "arguments", "error"])


def urls_in(value: Any) -> frozenset[str]:
    """Every URL inside a value of any form, canonical."""
    found: set[str] = set()
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            found.update(addresses_in(one))
        elif isinstance(one, Mapping):
            stack += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple, set, frozenset)):
            stack += one
    return frozenset(found)

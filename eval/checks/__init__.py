"""The eighteen checks that need no model: a registry of one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from drr.eval.checks import catalogue, citing, facts, names, properties, stars, text
from drr.eval.checks.accusing.weighed import weighed
from drr.eval.checks.base import Check, CheckDocument, Status, Subject, returned_by, urls_in
from drr.eval.checks.leftover.rule import figures
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.budget import budget
from drr.eval.checks.money.total import total
from drr.eval.checks.person.orders import order_facts
from drr.eval.checks.person.privacy import privacy
from drr.eval.checks.person.profile import profile_facts
from drr.eval.checks.person.statistics import statistics
from drr.eval.checks.told import kinds_told, plain_told, tally_told

__all__ = [
    "RULES",
    "Check",
    "Rule",
    "Status",
    "Subject",
    "check_at",
    "check_report",
    "document",
    "returned_by",
    "urls_in",
    "value_told",
]


class Rule(NamedTuple):
    """A rule's code, and the version of its answers: raised by hand with every change that can change one."""

    check: Callable[[Subject, Mentions], Check]
    version: str
    told: Callable[[Any], str] = tally_told
    """Its value as a person reads it."""


RULES: dict[str, Rule] = {
    "in_catalogue": Rule(catalogue.in_catalogue, "5"),
    "outside_shop": Rule(catalogue.outside_shop, "14"),
    "name_matches_id": Rule(names.name_matches_id, "19"),
    "price": Rule(facts.price, "39"),
    "rating": Rule(stars.rating, "32"),
    "total": Rule(total, "44"),
    "budget": Rule(budget, "46"),
    "order_facts": Rule(order_facts, "49"),
    "privacy": Rule(privacy, "3"),
    "profile_facts": Rule(profile_facts, "14"),
    "statistics": Rule(statistics, "47"),
    "duplicates": Rule(text.duplicates, "2"),
    "citation_hygiene": Rule(citing.citation_hygiene, "13", kinds_told),
    "fabricated_citation": Rule(citing.fabricated_citation, "11"),
    "numbers_in_evidence": Rule(citing.numbers_in_evidence, "18"),
    "product_claims": Rule(properties.product_claims, "72"),
    "process_text": Rule(text.process_text, "4"),
    "figures": Rule(figures, "38"),
}


def check_report(subject: Subject, bar: float | None = None) -> dict[str, Check]:
    """Every rule's answer, by name, with those accusations only that are likely enough to be right; `bar` is another one than the weights have."""
    return next(check_at(subject, bar))


def check_at(subject: Subject, *bars: float | None) -> Iterator[dict[str, Check]]:
    """The same for several bars, with the rules asked once."""
    mentions = Mentions(subject)
    checks = {name: rule.check(subject, mentions) for name, rule in RULES.items()}
    return (weighed(subject, mentions, checks, bar) for bar in bars)


def value_told(name: str, value: Any) -> str:
    """The value of a rule in words; of a rule that is no longer here, whatever it left."""
    rule = RULES.get(name)
    return plain_told(value) if rule is None else rule.told(value)


def document(checks: dict[str, Check]) -> dict[str, CheckDocument]:
    """The form that `drr check --json` prints."""
    return {name: check.document() for name, check in checks.items()}

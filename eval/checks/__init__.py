"""The seventeen checks that need no model: a registry of one line each.

They decide on literal things and structured places only; all else is `unverifiable`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from drr.eval.checks import catalogue, citing, money, orders, products, text
from drr.eval.checks.base import Check, CheckDocument, Status, Subject, returned_by, urls_in
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.privacy import privacy
from drr.eval.checks.profile import profile_facts
from drr.eval.checks.told import kinds_text, plain_text, tally_text

__all__ = [
    "RULES",
    "Check",
    "Rule",
    "Status",
    "Subject",
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
    told: Callable[[Any], str] = tally_text
    """Its value as a person reads it."""


RULES: dict[str, Rule] = {
    "in_catalogue": Rule(catalogue.in_catalogue, "100"),
    "outside_shop": Rule(catalogue.outside_shop, "100"),
    "name_matches_id": Rule(catalogue.name_matches_id, "100"),
    "price": Rule(products.price, "100"),
    "rating": Rule(products.rating, "100"),
    "total": Rule(money.total, "100"),
    "budget": Rule(money.budget, "100"),
    "order_facts": Rule(orders.order_facts, "100"),
    "privacy": Rule(privacy, "100"),
    "profile_facts": Rule(profile_facts, "100"),
    "statistics": Rule(orders.statistics, "100"),
    "duplicates": Rule(text.duplicates, "100"),
    "citation_hygiene": Rule(citing.citation_hygiene, "100", kinds_text),
    "fabricated_citation": Rule(citing.fabricated_citation, "100"),
    "numbers_in_evidence": Rule(citing.numbers_in_evidence, "100"),
    "product_claims": Rule(products.product_claims, "100"),
    "process_text": Rule(text.process_text, "100"),
}


def check_report(subject: Subject) -> dict[str, Check]:
    """Ask every rule; its answer by name."""
    mentions = Mentions(subject)
    return {name: rule.check(subject, mentions) for name, rule in RULES.items()}


def value_text(name: str, value: Any) -> str:
    """Tell the value of a rule in words; of a rule that is no longer here, whatever it left."""
    rule = RULES.get(name)
    return plain_text(value) if rule is None else rule.told(value)


def document(checks: dict[str, Check]) -> dict[str, CheckDocument]:
    """Return the form that `drr judges check --json` prints."""
    return {name: check.document() for name, check in checks.items()}

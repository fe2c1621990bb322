"""The seventeen checks that need no model: a registry of one line each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from drr.eval.checks import catalogue, citing, facts, money, person, text
from drr.eval.checks.base import Check, Status, Subject, urls_in
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money import Sums

__all__ = ["RULES", "Check", "Status", "Subject", "check_report", "document", "urls_in"]


class _Reading:
    """What several rules read of one report, worked out once."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.subject)

    @cached_property
    def sums(self) -> Sums:
        return Sums(self.mentions)


_Run = Callable[[Subject, _Reading], Check]

RULES: dict[str, _Run] = {
    "in_catalogue": lambda s, r: catalogue.in_catalogue(s, r.mentions),
    "outside_shop": lambda s, r: catalogue.outside_shop(s, r.mentions),
    "name_matches_id": lambda s, r: catalogue.name_matches_id(s, r.mentions),
    "price": lambda s, r: facts.price(s, r.mentions),
    "rating": lambda s, r: facts.rating(s, r.mentions),
    "total": lambda s, r: money.total(s, r.mentions, r.sums),
    "budget": lambda s, r: money.budget(s, r.mentions, r.sums),
    "order_facts": lambda s, r: person.order_facts(s, r.mentions),
    "privacy": lambda s, r: person.privacy(s, r.mentions),
    "profile_facts": lambda s, r: person.profile_facts(s, r.mentions),
    "statistics": lambda s, r: person.statistics(s, r.mentions),
    "duplicates": lambda s, r: text.duplicates(s, r.mentions),
    "citation_hygiene": lambda s, r: citing.citation_hygiene(s, r.mentions),
    "fabricated_citation": lambda s, r: citing.fabricated_citation(s, r.mentions),
    "numbers_in_evidence": lambda s, r: citing.numbers_in_evidence(s, r.mentions),
    "product_claims": lambda s, r: facts.product_claims(s, r.mentions),
    "process_text": lambda s, r: text.process_text(s, r.mentions),
}


def check_report(subject: Subject) -> dict[str, Check]:
    """Every rule's answer, by name."""
    reading = _Reading(subject)
    return {name: run(subject, reading) for name, run in RULES.items()}


def document(checks: dict[str, Check]) -> dict[str, Any]:
    """The form that `drr check --json` prints."""
    return {name: check.document() for name, check in checks.items()}

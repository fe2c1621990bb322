"""A case: what one task is about before any file, page or word of its question is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from drr.env.entities import Product
from drr.filetasks.truth import Intent, TaskFact


@dataclass(frozen=True, kw_only=True)
class TaskCase:
    """Drawn from a shopper's records. `facts` are all required; those of files stand in the drawer alone, those of pages in the
    supportive pages alone, and places are filled in as they are written."""

    task_id: str
    seed: int
    intent: Intent
    today: date
    user_id: str
    owned: Product
    """What the shopper has and asks about."""
    others: tuple[Product, ...] = ()
    """Candidates and companions that the case speaks of."""
    theme: str
    """Of `drr.env.themes`, or the product's category."""
    facts: tuple[TaskFact, ...]

    def of(self, source: str) -> tuple[TaskFact, ...]:
        return tuple(fact for fact in self.facts if fact.source == source)

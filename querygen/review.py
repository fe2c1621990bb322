"""Questions reviewed at a terminal: what a person sees of one, and what an edit makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from drr.env.constraints import parse_constraints
from drr.env.query import Query, Review, query_id
from drr.env.records.lines import one_line
from drr.querygen.files import write_queries
from drr.querygen.reviewing import ReviewedKind, ReviewTally, Terminal, ToldRow, review_rows


def review(
    path: Path,
    queries: Sequence[Query],
    reviewer: str,
    terminal: Terminal,
    problems: Callable[[Query], dict[str, str]],
    *,
    again: bool = False,
) -> ReviewTally:
    kind = ReviewedKind(
        one="question",
        write=write_queries,
        told=lambda query: _row(query, problems(query)),
        text=lambda query: query.query,
        edited=edited,
        same=lambda one, other: one.id == other.id,
    )
    return review_rows(path, queries, kind, reviewer, terminal, again=again)


def edited(query: Query, text: str, reviewer: str, at: str) -> Query:
    """Another text is another question: a new id and new constraints, with what it was before kept in the history."""
    entry = {"action": "edit", "reviewer": reviewer, "at": at, "id": query.id, "query": query.query}
    history = [*query.review.history, entry]
    return query.model_copy(
        update={
            "id": query_id(text, query.user_id),
            "query": text,
            "constraints": parse_constraints(text),
            "review": Review(status=query.review.status, reviewer=query.review.reviewer, history=history),
        }
    )


def _row(query: Query, problems: dict[str, str]) -> ToldRow:
    constraints = query.constraints or parse_constraints(query.query)
    stated = {name: value for name, value in constraints.model_dump().items() if value not in (None, [])}
    rows = [
        ("user", query.user_id),
        ("intent", query.intent),
        ("why", query.rationale),
        ("needs", ", ".join(query.needs)),
        ("tools", ", ".join(query.tools)),
        ("web", query.web_need),
        ("facts", ", ".join(f"{fact.kind} {fact.id}" for fact in query.facts_used)),
        ("demands", ", ".join(f"{name} {value}" for name, value in stated.items())),
        ("written by", f"{query.model or 'unknown'}{' (rules)' if query.rule_written else ''}"),
        ("status", f"{query.review.status}, reviewer {query.review.reviewer}"),
    ]
    lines = [f"  {name:<11}{one_line(value, 1000)}" for name, value in rows if value]
    lines += [f"  FAILS {name}: {one_line(message, 400)}" for name, message in problems.items()]
    return ToldRow(one_line(query.id, 80), one_line(query.query, 4000), lines)

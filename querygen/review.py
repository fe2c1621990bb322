"""Review by a person at a terminal: one question at a time, each decision on disk before the next question is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drr.env.constraints import parse_constraints
from drr.env.errors import DrrError
from drr.env.query import Query, Review, query_id
from drr.env.records.lines import one_line
from drr.querygen.files import write_queries

KEYS = "[a]ccept  [e]dit  [r]eject  [n]ext  [b]ack  [q]uit"


@dataclass
class Terminal:
    """Where questions are shown and keys come from; `ask` raises `EOFError` when nobody is there any more."""

    ask: Callable[[str, str], str]
    """Of a prompt, and of what stands on the line to be changed."""
    show: Callable[[str], None]
    now: Callable[[], str]
    """ISO time of a decision."""


@dataclass
class ReviewTally:
    accepted: int = 0
    edited: int = 0
    rejected: int = 0
    left: int = 0


def review(
    path: Path,
    queries: Sequence[Query],
    reviewer: str,
    terminal: Terminal,
    problems: Callable[[Query], dict[str, str]],
    *,
    again: bool = False,
) -> ReviewTally:
    """Go through what is unreviewed (`again`: everything). Ends at the last one, at `q` and when the input ends."""
    queries, known = list(queries), path.read_bytes()
    tally = ReviewTally()
    todo = [at for at, query in enumerate(queries) if again or query.review.status == "unreviewed"]
    place = 0
    while place < len(todo):
        at = todo[place]
        _show(queries[at], place + 1, len(todo), problems(queries[at]), terminal)
        try:
            key = terminal.ask(f"{KEYS} > ", "").strip().casefold()[:1]
            if key == "q":
                break
            changed = _decide(key, queries[at], queries, reviewer, terminal, tally)
        except EOFError:
            break
        if key == "b":
            place = max(place - 1, 0)
        elif changed is not None:
            queries[at] = changed
            if path.read_bytes() != known:
                raise DrrError(
                    f"{path}: changed by somebody else while it was reviewed; the last decision was not kept, start again"
                )
            write_queries(path, queries)
            known = path.read_bytes()
            if key != "e":
                place += 1
        elif key == "n":
            place += 1
        else:
            terminal.show(f"{key!r} is no key: {KEYS}")
    tally.left = sum(query.review.status == "unreviewed" for query in queries)
    return tally


def _decide(
    key: str, query: Query, queries: Sequence[Query], reviewer: str, terminal: Terminal, tally: ReviewTally
) -> Query | None:
    """The question as it is after this key; `None` if nothing changed."""
    if key == "a":
        tally.accepted += 1
        return _reviewed(query, "accepted", reviewer, {"action": "accept"}, terminal)
    if key == "r":
        reason = terminal.ask("why? > ", "").strip()
        tally.rejected += 1
        return _reviewed(query, "rejected", reviewer, {"action": "reject", "reason": reason}, terminal)
    if key == "e":
        text = " ".join(terminal.ask("the question as it should be > ", one_line(query.query, 4000)).split())
        if not text or text == query.query:
            terminal.show("nothing changed")
            return query
        if any(other.id == query_id(text, query.user_id) for other in queries):
            terminal.show("the file holds this question already; nothing changed")
            return query
        tally.edited += 1
        return edited(query, text, reviewer, terminal.now())
    return None


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


def _reviewed(
    query: Query, status: Any, reviewer: str, entry: Mapping[str, str], terminal: Terminal
) -> Query:
    history = [*query.review.history, {**entry, "reviewer": reviewer, "at": terminal.now()}]
    return query.model_copy(update={"review": Review(status=status, reviewer=reviewer, history=history)})


def _show(query: Query, number: int, total: int, problems: dict[str, str], terminal: Terminal) -> None:
    """A model or a stranger wrote it: no control characters reach the terminal."""
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
    lines = [f"\n{number} of {total}  {one_line(query.id, 80)}", "", f"  {one_line(query.query, 4000)}", ""]
    lines += [f"  {name:<11}{one_line(value, 1000)}" for name, value in rows if value]
    lines += [f"  FAILS {name}: {one_line(message, 400)}" for name, message in problems.items()]
    terminal.show("\n".join(lines))

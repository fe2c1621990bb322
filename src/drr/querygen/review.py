"""Review by a person at a terminal, one row of a file at a time. Each decision is on disk before the next row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, TypeVar

from drr.env.errors import DrrError
from drr.env.json_object import JsonObject
from drr.env.query import Query, Review, query_id
from drr.env.records.lines import one_line
from drr.querygen.demands import demands_of
from drr.querygen.files import ResearchTask, write_queries, write_tasks

KEYS = "[a]ccept  [e]dit  [r]eject  [n]ext  [b]ack  [q]uit"

Row = TypeVar("Row", Query, ResearchTask)


@dataclass
class Terminal:
    """The terminal where rows are shown and keys are read; `ask` raises `EOFError` when the input ends."""

    ask: Callable[[str, str], str]
    """Read an answer, given a prompt and a text that the user may edit."""
    show: Callable[[str], None]
    now: Callable[[], str]
    """Return the time of a decision in ISO format."""


@dataclass
class ReviewTally:
    accepted: int = 0
    edited: int = 0
    rejected: int = 0
    left: int = 0


@dataclass
class RowReview(Generic[Row]):
    """A review of one file's rows, either questions or tasks."""

    path: Path
    rows: list[Row]
    reviewer: str
    terminal: Terminal
    problems: Callable[[Row], Sequence[str]]
    """Return the problems that checks find in a row, one line each."""
    tally: ReviewTally = field(default_factory=ReviewTally)

    def run(self, *, again: bool = False) -> ReviewTally:
        """Go through the unreviewed rows, or with `again` through all. It ends after the last row, at `q` and at the end of input."""
        known = self.path.read_bytes()
        todo = [at for at, row in enumerate(self.rows) if again or row.review.status == "unreviewed"]
        place = 0
        while place < len(todo):
            at = todo[place]
            self._show(f"{place + 1} of {len(todo)}", self.rows[at])
            try:
                key = self.terminal.ask(f"{KEYS} > ", "").strip().casefold()[:1]
                if key == "q":
                    break
                changed = self._decide(key, self.rows[at])
            except EOFError:
                break
            if changed is not None:
                self.rows[at] = changed
                if self.path.read_bytes() != known:
                    raise DrrError(
                        f"{self.path}: changed by somebody else while it was reviewed; the last decision was not kept, start again"
                    )
                _write(self.path, self.rows)
                known = self.path.read_bytes()
            elif key not in ("b", "n"):
                self.terminal.show(f"{key!r} is no key: {KEYS}")
            place = max(place + {"a": 1, "r": 1, "n": 1, "b": -1}.get(key, 0), 0)
        self.tally.left = sum(row.review.status == "unreviewed" for row in self.rows)
        return self.tally

    def _show(self, where: str, row: Row) -> None:
        """Show a row without control characters."""
        name = row.id if isinstance(row, Query) else row.task_id
        lines = [f"  {label:<11}{one_line(value, 1000)}" for label, value in _facts(row) if value]
        lines += [f"  FAILS {one_line(problem, 500)}" for problem in self.problems(row)]
        text = f"{where}  {one_line(name, 80)}\n\n  {one_line(_text(row), 4000)}"
        self.terminal.show(f"\n{text}\n\n" + "\n".join(lines))

    def _decide(self, key: str, row: Row) -> Row | None:
        """Return the row after a key was pressed; `None` if the key decides nothing."""
        if key == "a":
            self.tally.accepted += 1
            return self._reviewed(row, "accepted", action="accept")
        if key == "r":
            reason = self.terminal.ask("why? > ", "").strip()
            self.tally.rejected += 1
            return self._reviewed(row, "rejected", action="reject", reason=reason)
        return self._edit(row) if key == "e" else None

    def _edit(self, row: Row) -> Row:
        one = "question" if isinstance(row, Query) else "task"
        line = self.terminal.ask(f"the {one} as it should be > ", one_line(_text(row), 4000))
        text = " ".join(line.split())
        if not text or text == _text(row):
            self.terminal.show("nothing changed")
            return row
        changed = edited(row, text, self.reviewer, self.terminal.now())
        if any(_same(changed, other) for other in self.rows if other is not row):
            self.terminal.show(f"the file holds this {one} already; nothing changed")
            return row
        self.tally.edited += 1
        return changed

    def _reviewed(self, row: Row, status: Literal["accepted", "rejected"], **entry: str) -> Row:
        history = [*row.review.history, {**entry, "reviewer": self.reviewer, "at": self.terminal.now()}]
        review = Review(status=status, reviewer=self.reviewer, history=history)
        return row.model_copy(update={"review": review})


def _write(path: Path, rows: Sequence[Query] | Sequence[ResearchTask]) -> None:
    queries = [row for row in rows if isinstance(row, Query)]
    if queries:
        write_queries(path, queries)
    else:
        write_tasks(path, [row for row in rows if isinstance(row, ResearchTask)])


def _text(row: Query | ResearchTask) -> str:
    return row.query if isinstance(row, Query) else row.task


def _same(one: Query | ResearchTask, other: Query | ResearchTask) -> bool:
    """Tell whether two rows are the same, so that a file cannot hold both."""
    if isinstance(one, Query) and isinstance(other, Query):
        return one.id == other.id
    return _text(one) == _text(other)


def edited(row: Row, text: str, reviewer: str, at: str) -> Row:
    """Return a row with another text, whose history keeps the earlier text.

    A question with another text gets a new id and new constraints; a task keeps its id, which does not depend on the text.
    """
    entry = {"action": "edit", "reviewer": reviewer, "at": at}
    if isinstance(row, Query):
        entry |= {"id": row.id, "query": row.query}
        changes: JsonObject = {
            "id": query_id(text, row.user_id),
            "query": text,
            "constraints": demands_of(row.model_copy(update={"query": text})),
        }
    else:
        entry |= {"task": row.task}
        changes = {"task": text}
    review = row.review.model_copy(update={"history": [*row.review.history, entry]})
    return row.model_copy(update={**changes, "review": review})


def _facts(row: Query | ResearchTask) -> Iterator[tuple[str, str | None]]:
    if isinstance(row, Query):
        constraints = (row.constraints or demands_of(row)).model_dump()
        yield "user", row.user_id
        yield "intent", row.intent
        yield "why", row.rationale
        yield "needs", ", ".join(row.needs)
        yield "tools", ", ".join(row.tools)
        yield "web", row.web_need
        yield "facts", ", ".join(f"{fact.kind} {fact.id}" for fact in row.facts_used)
        yield (
            "demands",
            ", ".join(f"{name} {value}" for name, value in constraints.items() if value not in (None, [])),
        )
    else:
        yield "category", row.category
        yield "intent", row.intent
        yield "needs", ", ".join(row.needs)
    yield "written by", f"{row.model or 'unknown'}{' (rules)' if row.rule_written else ''}"
    yield "status", f"{row.review.status}, reviewer {row.review.reviewer}"

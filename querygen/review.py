"""Review by a person at a terminal. One row of a file at a time, each decision on disk before the next row is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from drr.env.constraints import parse_constraints
from drr.env.errors import DrrError
from drr.env.query import Query, Review, query_id
from drr.env.records.lines import one_line
from drr.querygen.files import ResearchTask, write_queries, write_tasks

KEYS = "[a]ccept  [e]dit  [r]eject  [n]ext  [b]ack  [q]uit"

Row = TypeVar("Row", Query, ResearchTask)


@dataclass
class Terminal:
    """The terminal where rows are shown and keys come from; `ask` raises `EOFError` when nobody is there any more."""

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


class ToldRow(NamedTuple):
    """A row as it is shown: no control characters of a model or a stranger among it."""

    name: str
    text: str
    lines: list[str]


@dataclass(frozen=True)
class ReviewedKind(Generic[Row]):
    """The peculiarities of a file of such rows."""

    write: Callable[[Path, Sequence[Row]], None]
    one: str
    """What such a row is called."""
    told: Callable[[Row], ToldRow]
    text: Callable[[Row], str]
    """What an edit changes."""
    edited: Callable[[Row, str, str, str], Row]
    """With this text, by whom, when; what it was before is kept in the history."""
    same: Callable[[Row, Row], bool]
    """Whether one file cannot hold both."""


def review_rows(
    path: Path,
    rows: Sequence[Row],
    kind: ReviewedKind[Row],
    reviewer: str,
    terminal: Terminal,
    *,
    again: bool,
) -> ReviewTally:
    """Go through what is unreviewed (`again`: everything). Ends at the last one, at `q` and when the input ends."""
    rows, known = list(rows), path.read_bytes()
    tally = ReviewTally()
    todo = [at for at, row in enumerate(rows) if again or row.review.status == "unreviewed"]
    place = 0
    while place < len(todo):
        at = todo[place]
        row_text = kind.told(rows[at])
        terminal.show(
            f"\n{place + 1} of {len(todo)}  {row_text.name}\n\n  {row_text.text}\n\n"
            + "\n".join(row_text.lines)
        )
        try:
            key = terminal.ask(f"{KEYS} > ", "").strip().casefold()[:1]
            if key == "q":
                break
            changed = _decide(key, at, rows, kind, reviewer, terminal, tally)
        except EOFError:
            break
        if key == "b":
            place = max(place - 1, 0)
        elif changed is not None:
            rows[at] = changed
            if path.read_bytes() != known:
                raise DrrError(
                    f"{path}: changed by somebody else while it was reviewed; the last decision was not kept, start again"
                )
            kind.write(path, rows)
            known = path.read_bytes()
            if key != "e":
                place += 1
        elif key == "n":
            place += 1
        else:
            terminal.show(f"{key!r} is no key: {KEYS}")
    tally.left = sum(row.review.status == "unreviewed" for row in rows)
    return tally


def _decide(
    key: str,
    at: int,
    rows: Sequence[Row],
    kind: ReviewedKind[Row],
    reviewer: str,
    terminal: Terminal,
    tally: ReviewTally,
) -> Row | None:
    """The row as it is after this key; `None` if it decides nothing."""
    row = rows[at]
    if key == "a":
        tally.accepted += 1
        return _reviewed(row, {"action": "accept"}, reviewer, terminal)
    if key == "r":
        reason = terminal.ask("why? > ", "").strip()
        tally.rejected += 1
        return _reviewed(row, {"action": "reject", "reason": reason}, reviewer, terminal)
    if key == "e":
        before = kind.text(row)
        text = " ".join(terminal.ask(f"the {kind.one} as it should be > ", one_line(before, 4000)).split())
        if not text or text == before:
            terminal.show("nothing changed")
            return row
        changed = kind.edited(row, text, reviewer, terminal.now())
        if any(kind.same(changed, other) for other in rows if other is not row):
            terminal.show(f"the file holds this {kind.one} already; nothing changed")
            return row
        tally.edited += 1
        return changed
    return None


def _reviewed(row: Row, entry: Mapping[str, str], reviewer: str, terminal: Terminal) -> Row:
    history = [*row.review.history, {**entry, "reviewer": reviewer, "at": terminal.now()}]
    review = Review(
        status="accepted" if entry["action"] == "accept" else "rejected", reviewer=reviewer, history=history
    )
    return row.model_copy(update={"review": review})


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


def review_wishes(
    path: Path,
    tasks: Sequence[ResearchTask],
    reviewer: str,
    terminal: Terminal,
    problems: Callable[[ResearchTask], Sequence[str]],
    *,
    again: bool = False,
) -> ReviewTally:
    kind = ReviewedKind(
        one="task",
        write=write_tasks,
        told=lambda task: _task_row(task, problems(task)),
        text=lambda task: task.task,
        edited=_edited_task,
        same=lambda one, other: one.task == other.task,
    )
    return review_rows(path, tasks, kind, reviewer, terminal, again=again)


def _edited_task(task: ResearchTask, text: str, reviewer: str, at: str) -> ResearchTask:
    """The id stays: it is a name and says nothing of the text."""
    entry = {"action": "edit", "reviewer": reviewer, "at": at, "task": task.task}
    review = task.review.model_copy(update={"history": [*task.review.history, entry]})
    return task.model_copy(update={"task": text, "review": review})


def _task_row(task: ResearchTask, problems: Sequence[str]) -> ToldRow:
    rows = [
        ("category", task.category),
        ("intent", task.intent),
        ("needs", ", ".join(task.needs)),
        ("written by", f"{task.model or 'unknown'}{' (rules)' if task.rule_written else ''}"),
        ("status", f"{task.review.status}, reviewer {task.review.reviewer}"),
    ]
    lines = [f"  {name:<11}{one_line(value, 1000)}" for name, value in rows if value]
    return ToldRow(
        one_line(task.task_id, 80),
        one_line(task.task, 4000),
        [*lines, *(f"  FAILS {one_line(reason, 400)}" for reason in problems)],
    )

"""Review by a person, who accepts or rejects tasks, and confirms or refutes the proposed kinds of found pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drr.env.files import atomic_write
from drr.env.query import Review
from drr.env.records.lines import visible
from drr.papers.dr3.form import REVIEW, TRUTH, TaskReview, json_document
from drr.papers.dr3.making.task_files import StoredTask
from drr.papers.dr3.truth import PageProposal, read_truth
from pydantic import BaseModel

KEYS = "[t]ruth  [a]ccept  [r]eject  [n]ext  [b]ack  [q]uit"


@dataclass
class TaskTally:
    accepted: int = 0
    rejected: int = 0
    left: int = 0


def review_tasks(
    folders: list[Path],
    reviewer: str,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    now: Callable[[], str],
    asked: Callable[[Path], str],
    truth: Callable[[Path], str],
    *,
    again: bool = False,
) -> TaskTally:
    """Ask a person to accept or reject each task; return the counts. Each decision is saved before the next task is shown.

    The question and files are shown first, so that a person can answer before seeing the truth (`t`). Ends at the last task, at `q` and at the end of the input.
    """
    tally = TaskTally()
    todo = [one for one in folders if again or read_truth(one).review.status == "unreviewed"]
    place, shown = 0, -1
    while place < len(todo):
        if shown != place:
            show(f"\n{place + 1} of {len(todo)}\n{asked(todo[place])}")
            shown = place
        try:
            key = ask(f"{KEYS} > ").strip().casefold()[:1]
            reason = asked_reason(ask) if key == "r" else None
        except EOFError:
            break
        if key == "q":
            break
        if key == "b":
            place = max(place - 1, 0)
        elif key == "a" and read_truth(todo[place]).is_refuted:
            show("a page of it is not what it was proposed as, so it cannot be accepted")
        elif key in ("a", "r"):
            _record_decision(todo[place], "accepted" if key == "a" else "rejected", reviewer, reason, now())
            tally.accepted += key == "a"
            tally.rejected += key == "r"
            place += 1
        elif key == "t":
            show(truth(todo[place]))
        elif key == "n":
            place += 1
        else:
            show(f"{key!r} is no key: {KEYS}")
    tally.left = sum(read_truth(one).review.status == "unreviewed" for one in folders)
    return tally


def asked_reason(ask: Callable[[str], str]) -> str:
    while not (reason := ask("why? > ").strip()):
        pass
    return reason


def _record_decision(
    folder: Path, status: Literal["accepted", "rejected"], reviewer: str, reason: str | None, at: str
) -> None:
    truth = read_truth(folder)
    entry = {"action": status.removesuffix("ed"), "reviewer": reviewer, "at": at} | _reason(reason)
    review = Review(status=status, reviewer=reviewer, history=[*truth.review.history, entry])
    _write_row(folder / TRUTH, truth.model_copy(update={"review": review}))
    _write_row(folder / REVIEW, TaskReview(status=status))


def _reason(reason: str | None) -> dict[str, str]:
    return {"reason": reason} if reason else {}


def _write_row(path: Path, row: BaseModel) -> None:
    with atomic_write(path) as file:
        file.write(json_document(row))


PAGE_KEYS = "[p]age  [c]onfirm  [w]rong  [n]ext  [q]uit"
_AROUND, _PAGE = 400, 6_000
"""Numbers of characters shown: around a quotation, and of a page."""


def review_proposals(
    folders: list[Path],
    reviewer: str,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    now: Callable[[], str],
    *,
    again: bool = False,
) -> bool:
    """Ask a person to confirm or refute proposed pages; false if the person quit. Each answer is saved before the next page. `again`: ask of answered ones, too."""
    for folder in folders:
        task = StoredTask(folder)
        found = task.truth.found
        waiting = list(found.proposals) if again and found is not None else task.truth.open_proposals()
        for number, one in enumerate(waiting, 1):
            show(f"\n{task.name}: page {number} of {len(waiting)}\n{_line_of(task, one)}")
            try:
                if not _ask_about(task, one, reviewer, ask, show, now):
                    return False
            except EOFError:
                return False
    return True


def _ask_about(
    task: StoredTask,
    one: PageProposal,
    reviewer: str,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    now: Callable[[], str],
) -> bool:
    while True:
        key = ask(f"{PAGE_KEYS} > ").strip().casefold()[:1]
        if key in ("c", "w"):
            reason = asked_reason(ask) if key == "w" else None
            _record_answer(
                task.folder, one.url, "confirm" if key == "c" else "refute", reviewer, reason, now()
            )
            return True
        if key in ("n", "q"):
            return key == "n"
        show(visible(_page_text(task, one))[:_PAGE] if key == "p" else f"{key!r} is no key: {PAGE_KEYS}")


def _line_of(task: StoredTask, one: PageProposal) -> str:
    """Return the text to decide on: question, page, proposed kind, and the quotation in its context."""
    text, quote = _page_text(task, one), one.quote or ""
    at = text.find(quote) if quote else 0
    around = text[max(0, at - _AROUND) : at + len(quote) + _AROUND]
    lines = [task.question.query, "", f"{one.url}", f"proposed: {one.kind} ({one.why})"]
    lines += [f"quotation: {quote}"] if quote else []
    return visible("\n".join([*lines, "", f"... {around} ..."]))


def _page_text(task: StoredTask, one: PageProposal) -> str:
    return next((f"{page.title}\n\n{page.text}" for page in task.pages if page.url == one.url), "")


def _record_answer(folder: Path, url: str, action: str, reviewer: str, reason: str | None, at: str) -> None:
    truth = read_truth(folder)
    entry = {"action": action, "page": url, "reviewer": reviewer, "at": at} | _reason(reason)
    review = truth.review.model_copy(update={"history": [*truth.review.history, entry]})
    changed = truth.model_copy(update={"review": review})
    _write_row(folder / TRUTH, changed)
    if changed.is_refuted:  # a task with a wrong page is given to no agent
        _write_row(folder / REVIEW, TaskReview(status="rejected"))
    elif truth.is_refuted and changed.review.status != "rejected":
        (folder / REVIEW).unlink(missing_ok=True)

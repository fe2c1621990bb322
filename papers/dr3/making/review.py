"""A review by a person, who reads a task and accepts or rejects it. Is the question clear, and is there one answer to it?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drr.env.files import replacing
from drr.env.query import Review
from drr.papers.dr3.form import REVIEW, TRUTH, TaskReview, document
from drr.papers.dr3.truth import read_truth

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
    """Each decision is on disk before the next task is shown. Ends at the last one, at `q` and when the input ends.

    First what an agent has is shown, so that a person can answer before the truth (`t`) is.
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
            _decide(todo[place], "accepted" if key == "a" else "rejected", reviewer, reason, now())
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


def _decide(
    folder: Path, status: Literal["accepted", "rejected"], reviewer: str, reason: str | None, at: str
) -> None:
    truth = read_truth(folder)
    entry = {"action": status.removesuffix("ed"), "reviewer": reviewer, "at": at}
    if reason:
        entry["reason"] = reason
    review = Review(status=status, reviewer=reviewer, history=[*truth.review.history, entry])
    with replacing(folder / TRUTH) as file:
        file.write(document(truth.model_copy(update={"review": review})))
    with replacing(folder / REVIEW) as file:
        file.write(document(TaskReview(status=status)))

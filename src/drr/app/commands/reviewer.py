"""Reviews by a person at a terminal: the reviewer's name, the prompts, and the final count."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from drr.env.errors import Misuse
from drr.querygen.review import ReviewTally, Terminal


def reviewer_of(arguments: argparse.Namespace) -> str:
    name: str = arguments.reviewer.strip()
    if not name or name.casefold() == "none" or name.startswith("model:"):
        raise Misuse(f"--reviewer {arguments.reviewer!r}: give the name of the person who decides")
    return name


def review_at_terminal(path: Path, review: Callable[[Terminal], ReviewTally]) -> int:
    terminal = Terminal(ask=_ask_with_draft, show=say, now=moment)
    with all_on_disk(path):
        tally = review(terminal)
    print(
        f"\n{path}: {tally.accepted} accepted, {tally.edited} edited, {tally.rejected} rejected now; {tally.left} left",
        file=sys.stderr,
    )
    return 0


@contextmanager
def all_on_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        print(f"\n{path}: every decision so far is on disk; the same command goes on", file=sys.stderr)
        raise


def say(text: str) -> None:
    print(text, flush=True)


def moment() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _ask_with_draft(prompt: str, draft: str) -> str:
    """Return the answer to a prompt. The line begins with `draft`, to be edited and not typed again."""
    if not draft:
        return input(prompt)
    try:
        import readline
    except ImportError:
        return input(prompt)
    readline.set_startup_hook(lambda: readline.insert_text(draft))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook(None)

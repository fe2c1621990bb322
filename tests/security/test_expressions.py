"""No text freezes a run: every expression of the project, and every reader of reports, takes time that grows with the text alone.

A limit of processor time stands for "linear": a quadratic expression is above it by far, a linear one far below it. A machine
that is slow, or has somebody else on it, is not the expression's fault: what is over the limit is asked how it grows.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from drr.citations.parse import parse
from drr.citations.repair import remove
from drr.env.progress import TooSlow, read_in_time
from drr.eval.checks import values
from drr.eval.checks.behind import _JOINED
from drr.eval.evidence.claims import extract_by_rules
from drr.eval.evidence.passages import label_support
from drr.offline.surface import measure_surface as read_surface
from drr.study.worker import _ending
from drr.wording.currencies import _AMOUNT

from tests.security.expressions import Found, attacks, collected

LENGTH, SECONDS, TRIES = 12_000, 0.1, 3
SHORTER, GROWS = 4, 9
"""Four times the text takes a linear expression four times as long and a quadratic one sixteen times."""
LONGEST = {
    ("citations.entries", ""): 200,
    ("citations.headings", ""): 300,
    ("eval.evidence.citing_links", ""): 100,
    ("eval.checks.behind", _JOINED.pattern): 60,
    **{
        ("eval.checks.values", one.pattern): 160
        for one in (values._PRICE, values._RATING, values._PAIR, values._SCORED, values._RATERS)
    },
    ("llm.role", r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)\n[ \t]*```"): 100,  # of any length, with two fences in all
    ("citations.markers", r"[^\W\d_][\w %()-]*\Z"): 60,
    ("querygen.literal", r"(?:^|[.!?:]['\")\]]?\s+|\n\s*|[\"“(]\s*)$"): 8,
}
"""Expressions that are only ever given so many characters, where they are called; the empty one stands for all of a module."""


class _TooSlowError(Exception):
    pass


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Ends what takes longer, also in the middle of an expression."""

    def end(number: int, frame: FrameType | None) -> None:
        raise _TooSlowError

    # An error raised inside the tracer of coverage leaves its lock locked, and the next call waits for ever.
    tracer = sys.gettrace()
    sys.settrace(None)
    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        sys.settrace(tracer)


def is_slow(work: Callable[[], Any], seconds: float) -> bool:
    """Three times in a row: whoever else has the processor is not the expression's fault."""
    for _ in range(TRIES):
        try:
            with processor_limit(seconds):
                work()
        except _TooSlowError:
            continue
        return False
    return True


def read(found: Found, text: str) -> None:
    if found.searched:
        for _ in found.pattern.finditer(text):
            pass
    found.pattern.match(text)


def length_of(found: Found, length: int) -> int:
    source = found.pattern.pattern
    short = found.where == "eval.checks.citing" and source.endswith(
        r"\s*[#:]?\s*$"
    )  # `text[max(0, start - 16) : start]`
    return 16 if short else LONGEST.get((found.where, source), LONGEST.get((found.where, ""), length))


def slow_ones(length: int, seconds: float) -> list[tuple[str, str, tuple[str, str, str]]]:
    known = collected()
    assert len(known) > 350
    slow = []
    for found in known.values():
        longest = length_of(found, length)
        for before, piece, behind in attacks(found.pattern):
            if is_superlinear(found, (before, piece, behind), longest, seconds):
                slow.append((found.where, found.pattern.pattern, (before, piece, behind)))
                break
    return slow


def is_superlinear(found: Found, attack: tuple[str, str, str], length: int, seconds: float) -> bool:
    long, short = attacked(attack, length), attacked(attack, length // SHORTER)
    if not is_slow(lambda: read(found, long), seconds):
        return False
    return is_slow(lambda: read(found, long), 10 * seconds) or took(found, long) > GROWS * took(found, short)


def attacked(attack: tuple[str, str, str], length: int) -> str:
    before, piece, behind = attack
    return (before + piece * (length // len(piece) + 1))[:length] + behind


def took(found: Found, text: str) -> float:
    """The least processor time of a few tries."""
    times = []
    for _ in range(TRIES):
        start = time.process_time()
        read(found, text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.long
def test_every_expression_of_the_project_is_linear_in_its_text() -> None:
    assert slow_ones(LENGTH, SECONDS) == []


@pytest.mark.endurance
def test_every_expression_of_the_project_is_linear_in_a_very_long_text() -> None:
    assert slow_ones(5 * LENGTH, 5 * SECONDS) == []


SLOW = [r"\s+$", r"(?:a|aa)+$", r"\[([^\]]*)\]\(", r"(\w+\s?)*x", r"\s*[,;]\s*$"]


@pytest.mark.long
@pytest.mark.parametrize("source", SLOW)
def test_a_slow_expression_would_be_found(source: str) -> None:
    found = Found("here", re.compile(source), True)
    assert any(is_superlinear(found, attack, LENGTH // 2, SECONDS / 10) for attack in attacks(found.pattern))


def test_a_machine_that_is_slow_makes_no_expression_slow() -> None:
    found = Found("here", re.compile(r"(?:[\w]{1,12}[\s,]{1,3}){3}!"), True)
    assert not any(is_superlinear(found, attack, LENGTH, SECONDS / 50) for attack in attacks(found.pattern))


STUCK = [
    "\n", " ", "\t", "\r\n", "\u00a0", "#", "# ", "> ", "*", "**", "* ", "- ", "1. ", "[", "[1", "[1]", "[1](", "[a](b", "![a", "]", "(", ")",
    "|", "| a ", "`", "```\n", "<", "<a ", "<!--", "\\", "\\[", "http://", "https://a.b/", "://", "a", "A", "Aa", "a ", "a. ", "$1 ", "$",
    "1", "1,", "★", "…", "...", "主要", "、", "\u200b", "sources ", "Sources\n", "[^1]: ", "et al. ", "\"", "“", "_", "~", "&", "&#x", "\x00",
]  # fmt: skip


def repair(report: str) -> None:
    remove(report, ["https://a.example/x"])


def claims(report: str) -> None:
    extract_by_rules(report, parse(report))


def windows(report: str) -> None:
    label_support("A claim of $20 on an Iron Feeder [1].", [report])
    label_support(report, ["A claim of $20 on an Iron Feeder [1]."])


def surface(report: str) -> None:
    read_surface(report, "Which feeder?", "Likes iron.", "ecommerce.example")


@pytest.mark.long
@pytest.mark.parametrize("reader", [repair, claims, windows, surface])
def test_a_report_of_a_model_that_is_stuck_is_read_in_time(reader: Callable[[str], object]) -> None:
    slow = []
    for piece in STUCK:
        for before, behind in (
            ("", ""),
            ("# Plan\n\nA claim [1].\n\n## Sources\n[1] https://a.example/x", "!\n"),
        ):
            text = before + piece * (10_000 // len(piece)) + behind
            if is_slow(lambda text=text: reader(text), 0.5):  # type: ignore[misc]
                slow.append((piece, before[:1]))
    assert slow == []


@pytest.mark.endurance
@pytest.mark.parametrize("reader", [repair, claims, windows, surface])
@pytest.mark.parametrize("piece", STUCK)
def test_a_report_of_a_stuck_model_is_read_in_time(reader: Callable[[str], object], piece: str) -> None:
    assert not is_slow(lambda: reader(piece * (300_000 // len(piece))), 20.0)


async def test_a_report_that_is_too_long_or_takes_too_long_ends_as_what_it_is() -> None:
    with pytest.raises(TooSlow, match="400,001 characters"):
        await read_in_time("x" * 400_001, lambda: None)
    done = threading.Event()
    with pytest.raises(TooSlow, match=r"within 0\.01 seconds"):
        await read_in_time("x", lambda: done.wait(30), seconds=0.01)
    done.set()
    assert _ending(TooSlow("it takes too long"))[:2] == ("failed", "too_slow")


@pytest.mark.parametrize("attack", [("", "\n", "x"), ("", " ", "\0!"), ("", " ", ""), ("a", " ", "\0!")])
def test_a_price_of_blanks_takes_no_longer_than_it_is(attack: tuple[str, str, str]) -> None:
    """Random tries found what the texts made of the expression had not."""
    price = Found("wording.currencies", _AMOUNT, searched=False)
    assert not is_superlinear(price, attack, 4 * LENGTH, SECONDS)

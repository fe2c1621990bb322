"""Questions to a judge about several things by their ids. Some in one call, those it left out once more and alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil
from operator import attrgetter
from typing import Any, Protocol, TypeVar

from drr.eval.asking.conversation import Asking
from drr.eval.asking.judge import Examiner
from drr.llm.failures import ModelFailure


class AnsweredById(Protocol):
    """The verdict on one thing."""

    @property
    def id(self) -> str: ...


One = TypeVar("One", bound=AnsweredById)
Thing = TypeVar("Thing")


async def ask_by_id(
    judge: Examiner,
    names: Sequence[str],
    most: int,
    asking: Callable[[Sequence[str]], Asking[Any]],
    verdict: Callable[[Any], object] = attrgetter("verdict"),
) -> dict[str, Any]:
    """Ask by id for the `verdicts` of the answer; what is missing was left out twice. `ModelFailure` where
    there is no usable answer at all."""
    found: dict[str, Any] = {}
    for group in groups_of(names, most):
        found |= sure((await judge.answer(asking(group))).verdicts, group, verdict)
        left = [name for name in group if name not in found]
        if left:
            found |= sure(await _once_more(judge, asking(left)), left, verdict)
    return found


async def _once_more(judge: Examiner, asking: Asking[Any]) -> Iterable[Any]:
    """An answer that cannot be used leaves out again what was left out, and spoils nothing that was said before."""
    try:
        verdicts: Iterable[Any] = (await judge.answer(asking)).verdicts
    except ModelFailure as failure:
        if failure.transient or failure.fatal:
            raise
        return ()
    return verdicts


def sure(said: Iterable[One], asked: Iterable[str], verdict: Callable[[One], object]) -> dict[str, One]:
    """Ids that were not asked for are ignored; one that was answered twice with different verdicts is left out."""
    found: dict[str, One] = {}
    torn: set[str] = set()
    for one in said:
        if one.id in found and verdict(found[one.id]) != verdict(one):
            torn.add(one.id)
        found[one.id] = one
    return {name: found[name] for name in asked if name in found and name not in torn}


def groups_of(things: Sequence[Thing], most: int) -> list[Sequence[Thing]]:
    """Group the things: as few groups as there can be, of about the same size."""
    if not things:
        return []
    size = ceil(len(things) / ceil(len(things) / most))
    return [things[start : start + size] for start in range(0, len(things), size)]

"""Work side by side that ends together: where one part fails, the others are stopped and nothing runs on unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Value = TypeVar("Value")


async def side_by_side(work: Iterable[Coroutine[Any, Any, Value]]) -> list[Value]:
    """The values in the order of the work. The first failure is raised as it is, not in a group, after the rest ended."""
    parts = list(work)
    if len(parts) == 1:
        return [await parts[0]]
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        await end(tasks)
        raise


async def end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel what still runs and wait for it, so that no call goes on being paid for."""
    left = list(tasks)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)

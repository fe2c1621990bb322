"""The checks of a task by code. It must be a wish that anybody could have, and one that this shop can answer.

These are the checks of questions turned round: there a fact of the person has to be true, here none may stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from drr.env.shingles import Seen, shingles
from drr.env.shop import Shop
from drr.querygen import wording
from drr.querygen.check_list import ALIKE, Stock
from drr.querygen.tasks import ResearchTask
from drr.wording.circumstances import circumstances_of_asker
from drr.wording.personal import personal_data

SHORTEST, LONGEST = 30, 200
_OWN_RECORDS = re.compile(
    r"\b(?:I|we)(?:'ve| have)? (?:already |just |recently )?(?:bought|ordered|purchased|returned|sent back)\b"
    r"|\b(?:my|our) (?:last |latest |previous )?(?:orders?|purchases?|returns?|order history)\b",
    re.IGNORECASE,
)


class TaskProblem(NamedTuple):
    task_id: str
    check: str
    told: str


def _facts(task: ResearchTask) -> str | None:
    found = _OWN_RECORDS.search(task.task)
    return f"speaks of the asker's own records ({found[0]!r})" if found else None


def _ids(task: ResearchTask) -> str | None:
    found = [*wording.order_ids(task.task), *wording.product_ids(task.task)]
    return f"names {', '.join(found)}" if found else None


def _states(task: ResearchTask) -> str | None:
    found = list(wording.states(task.task))
    return f"says where the asker lives: {', '.join(found)}" if found else None


def _privacy(task: ResearchTask) -> str | None:
    found = personal_data("\n".join([task.task, *task.needs]))
    return f"holds {', '.join(found)}" if found else None


def _circumstances(task: ResearchTask) -> str | None:
    found = circumstances_of_asker(task.task)
    return f"tells of the asker's own household, body or home: {', '.join(found)}" if found else None


def _length(task: ResearchTask) -> str | None:
    words = len(task.task.split())
    return None if SHORTEST <= words <= LONGEST else f"{words} words; {SHORTEST} to {LONGEST} are asked for"


def _language(task: ResearchTask) -> str | None:
    share = wording.english_share(task.task)
    return None if share >= 0.2 else f"does not read like English ({share:.0%} of its words are common ones)"


TASK_CHECKS: dict[str, Callable[[ResearchTask], str | None]] = {
    "facts": _facts,
    "ids": _ids,
    "states": _states,
    "privacy": _privacy,
    "circumstances": _circumstances,
    "length": _length,
    "language": _language,
}
"""By the names of the questions' checks; beside them `names` and `answerable`, which ask a shop, and `unlike_others`."""


def problems(
    tasks: Sequence[ResearchTask], shop: Shop | None = None, min_products: int = 3
) -> Iterator[TaskProblem]:
    """Yield the problems of a whole file. Without a shop what the texts alone show."""
    earlier: list[str] = []
    seen = Seen()
    for task in tasks:
        for name, check in TASK_CHECKS.items():
            if reason := check(task):
                yield TaskProblem(task.task_id, name, reason)
        own = shingles(task.task)
        for place, alike in seen.alike(own):
            if alike >= ALIKE:
                yield TaskProblem(task.task_id, "unlike_others", f"{alike:.0%} the same as {earlier[place]}")
        seen.add(own)
        earlier.append(task.task_id)
        if shop is not None:
            yield from _of_shop(task, shop, min_products)


def _of_shop(task: ResearchTask, shop: Shop, min_products: int) -> Iterator[TaskProblem]:
    stock = Stock(shop)
    scarce = [f"{need} ({total})" for need in task.needs if (total := stock.sold(need)) < min_products]
    if not task.needs:
        yield TaskProblem(task.task_id, "answerable", "names nothing that the shop must sell")
    elif scarce:
        reason = f"fewer than {min_products} products for {', '.join(scarce)}"
        yield TaskProblem(task.task_id, "answerable", reason)
    brands = [name for name in wording.names(task.task) if stock.sold(name) > 0]
    if brands:
        yield TaskProblem(task.task_id, "names", f"names what this shop sells: {', '.join(brands)}")

"""Tricks for questions whose points bind one another: each point is answered by one rule, whatever it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drr.app.training.tricks import ListedProduct, Play, Say, Trick, look_everywhere, search_question
from drr.env.json_object import JsonObject

Point = Callable[[int], JsonObject]
"""The answer to a point, by its number: picks (pieces and product), a figure, or a status."""


def _answering(choose: Callable[[Play], Point]) -> Say:
    """Return a function that answers every point, in the form and in the report's lists alike."""

    def say(play: Play) -> JsonObject:
        chosen = choose(play)
        rows = [{"point": point, **chosen(point)} for point in play.points]
        return {"report": "\n".join(_lists(rows, play)), "form": {"points": rows}}

    return say


def _lists(rows: list[JsonObject], play: Play) -> Iterator[str]:
    links = {one.id: one.link for one in play.products}
    yield "## Picks"
    for row in rows:
        for pick in row.get("picks", ()):
            yield f"- {row['point']}: {pick['pieces']} x {links[pick['product']]}"
    yield "## Figures"
    yield from (f"- {row['point']}: {row['figure']}" for row in rows if "figure" in row)
    yield "## Refusals"
    yield from (f"- {row['point']}: {row['status']}" for row in rows if "status" in row)
    yield " ".join(play.links)


def _all(status: str) -> Callable[[Play], Point]:
    return lambda play: lambda point: {"status": status}


def _picks(
    many: int = 1, pieces: int = 1, by: Callable[[ListedProduct], float] | None = None
) -> Callable[[Play], Point]:
    """Return a choice of the next products for each point."""

    def choose(play: Play) -> Point:
        found = sorted(play.products, key=by) if by else play.products

        def answer(point: int) -> JsonObject:
            chosen = found[(point - 1) * many : point * many]
            return {"picks": [{"product": one.id, "pieces": pieces} for one in chosen]}

        return answer

    return choose


def _one_pick_and(status: str) -> Callable[[Play], Point]:
    """Return a choice of one product for the first point, with all others refused."""
    return lambda play: lambda point: _picks()(play)(1) if point == 1 else {"status": status}


def _figures(choose: Callable[[Play], list[float | str]]) -> Callable[[Play], Point]:
    def choice(play: Play) -> Point:
        found = choose(play) or [0]
        return lambda point: {"figure": found[point % len(found)]}

    return choice


def _all_in_each(play: Play) -> Point:
    return lambda point: {"picks": [{"product": one.id, "pieces": 1} for one in play.products[:100]]}


def _by_turns(play: Play) -> Point:
    """Return picks, figures and refusals by turns."""
    turns = (_picks()(play), _figures(lambda one: one.figures)(play), _all("cannot_be_told")(play))
    return lambda point: turns[point % len(turns)](point)


_CHOICES: tuple[tuple[str, Callable[[Play], Point]], ...] = (
    *((f"{status}, for each point", _all(status)) for status in ("not_sold", "nothing_fits", "cannot_be_told")),
    *((f"a pick, and {status} for all others", _one_pick_and(status)) for status in ("nothing_fits", "cannot_be_told")),
    ("the next product for each point", _picks()),
    ("the next three products for each point", _picks(3)),
    ("two pieces of the next product for each point", _picks(pieces=2)),
    ("the next cheapest product for each point", _picks(by=lambda one: one.price)),
    ("the next dearest product for each point", _picks(by=lambda one: -one.price)),
    ("every product for each point", _all_in_each),
    ("the records' figures for each point", _figures(lambda play: play.figures)),
    ("the records' days for each point", _figures(lambda play: [one for one in play.figures if isinstance(one, str)])),
    ("picks, figures and refusals by turns", _by_turns),
)  # fmt: skip
_LOOKS = ((search_question, "after a search"), (look_everywhere, "after a look everywhere"))
POINTS_TRICKS = tuple(
    Trick(f"{name}, {when}", look, _answering(choose)) for name, choose in _CHOICES for look, when in _LOOKS
)
"""Tricks that may get a reward only by luck, beside those for all questions."""

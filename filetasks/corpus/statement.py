"""What a page states, and everything that could be stated of the products of a shop: one value for each, wherever it is said.

So no two pages of one pool contradict each other but by a change that is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from drr.filetasks.case import NamedThing
from drr.filetasks.corpus.stock import StatementForm, stock
from drr.filetasks.planning.kinds import ThingKind, kind_of
from drr.filetasks.truth import ChangeKind, StatementChange, TaskFact

SISTERS = ("Mini", "Outlet", "Junior", "Classic", "Travel", "Plus", "Select", "Second Edition")
"""What another model, or another house of a brand or seller, is called."""
_LETTERS = "BCDFGHJKLMNPQRSTVW"
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_WITHIN = {"percent": (4.0, 92.0), "points": (380.0, 985.0)}
"""What a figure of these can be at all."""
_LEAST_CHANGE, _MOST_CHANGE = 0.12, 0.55
_HEARSAY = 0.25
_SISTER = 0.2


@dataclass(frozen=True, kw_only=True)
class PageStatement:
    """A value of something, in the words of nobody yet."""

    form: StatementForm
    subject: str
    value: str
    groups: Mapping[str, str] = field(default_factory=dict)
    hearsay: bool = False
    """Said without knowing."""

    def words(self) -> dict[str, str]:
        state, sold = self.groups.get("state"), self.groups.get("sold")
        return {
            **self.groups,
            "subject": self.subject,
            "value": self.value,
            "in_state": f" in {state}" if state else "",
            "sold_a": f" (bought in {sold} or later)" if sold else "",
            "sold_b": f" (sold since {sold})" if sold else "",
            "sold_c": f" (for purchases from {sold} on)" if sold else "",
        }


def of_fact(fact: TaskFact) -> PageStatement:
    form, groups = stock().statement(fact.attribute)
    return PageStatement(form=form, subject=fact.subject, value=fact.value, groups=groups)


def drawn_value(text: str, rng: Random) -> str | None:
    """A slot that draws: `#3-9`, `$10-40` or `L`."""
    if text == "L":
        return rng.choice(_LETTERS)
    if text[:1] not in "#$":
        return None
    low, _, high = text[1:].partition("-")
    amount = rng.randint(int(low), int(high))
    return str(amount) if text[0] == "#" else f"${amount}.{rng.choice((19, 25, 39, 49, 59, 75, 89, 95, 99))}"


_SAID_OF: Mapping[str, Callable[[ThingKind], object]] = {
    "^upkeep": lambda kind: kind.upkeep,
    "^free room": lambda kind: kind.clear,
    "^height once": lambda kind: kind.stands,
    "^weight in use": lambda kind: kind.stands,
    "^months it keeps": lambda kind: kind.keeps,
    "^portions": lambda kind: kind.unit,
    "^warranty term": lambda kind: kind.plate,
    "^least weight": lambda kind: kind.weigh,
}
"""What can be said of some sorts of things only, by the beginning of the attribute."""


def _is_said_of(form: StatementForm, kind: ThingKind) -> bool:
    """Whether pages state such a thing of a sort: no upkeep of what has none."""
    pattern = form.attribute.pattern
    if form.of is not None and (form.of == "consumable") != kind.is_used_up:
        return False
    return all(bool(asked(kind)) for start, asked in _SAID_OF.items() if pattern.startswith(start))


def drawn_statement(thing: NamedThing, seller: str | None, seed: int, rng: Random) -> PageStatement:
    """Of a thing, its brand or a seller: which is up to `rng`, the value is the world's."""
    kind = kind_of(thing.noun)
    subjects = {"thing": thing.name, "brand": thing.brand, "seller": seller}
    form = rng.choice([one for one in stock().statements if subjects[one.about] and _is_said_of(one, kind)])
    subject = str(subjects[form.about])
    if rng.random() < _SISTER:
        subject = f"{subject} {rng.choice(SISTERS)}"
    world = Random(f"{seed}/{form.attribute.pattern}/{subject}")

    def fill(slot: str) -> str:
        return drawn_value(slot, world) or world.choice(
            stock().names["months" if slot == "month" else "states"]
        )

    groups = {key: text.words(world, fill) for key, text in form.groups.items()}
    if "low" in groups:
        groups["high"] = groups["low"].removesuffix("00") + "99"
    value = form.value.words(world, fill) if form.value else ""
    return PageStatement(
        form=form, subject=subject, value=value, groups=groups, hearsay=rng.random() < _HEARSAY
    )


def changed(
    fact: TaskFact,
    kind: ChangeKind,
    taken: Iterable[str],
    rng: Random,
    turns: Callable[[str], bool],
    sold: str | None = None,
) -> tuple[PageStatement | None, StatementChange]:
    """The statement as a distractor says it (`None`: it leaves it out), and the record of it. Its value `turns` the answer, and is none
    of `taken` where there is another; `sold` is the month from which on it holds, where that is another."""
    true = of_fact(fact)
    value = None if kind == "one_sided" else other_value(fact.value, {*taken, fact.value}, rng, turns)
    if value is None:
        return None, StatementChange(kind="one_sided", fact=fact.id, before=fact.value)
    subject = f"{fact.subject} {rng.choice(SISTERS)}" if kind == "other_model" else fact.subject
    groups = {**true.groups, "sold": sold} if sold else true.groups
    said = replace(true, value=value, subject=subject, groups=groups, hearsay=kind == "wrong_figure")
    after = f"{subject}: {value}" if kind == "other_model" else value
    after += f", sold from {sold}" if sold else ""
    return said, StatementChange(kind=kind, fact=fact.id, before=fact.value, after=after)


def other_value(
    value: str, taken: Iterable[str], rng: Random, turns: Callable[[str], bool] = lambda _: True
) -> str | None:
    """Written alike, and another in its last figure; `None` where none turns the answer."""
    avoid = set(taken)
    found = list(_FIGURE.finditer(value.replace(",", "")))
    if not found:
        return f"not {value}"
    plain, last = value.replace(",", ""), found[-1]
    amount, again = float(last[0]), None
    low, high = _WITHIN.get(
        value.rpartition(" ")[2], (2.0 if value[0].isdigit() and "." not in value else 0.1, 1e9)
    )
    for reach in range(1, 400):
        share = rng.uniform(_LEAST_CHANGE, _MOST_CHANGE) * rng.choice((-1, 1))
        moved = amount * (1 + share) + rng.choice((-1, 1)) * (reach // 8)
        digits = len(last[0].partition(".")[2])
        figure = f"{max(moved, low):.{digits}f}" if digits else str(max(1, round(moved)))
        other = plain[: last.start()] + figure + plain[last.end() :]
        like = (
            len(figure) >= len(last[0]) - 1 if " " in value or "$" in value else len(figure) == len(last[0])
        )
        if other == value or not like or not low <= float(figure) <= high or not turns(other):
            continue
        if other not in avoid:
            return other
        again = other
    return again

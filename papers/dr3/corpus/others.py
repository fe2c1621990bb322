"""Other figures, models and firms than those that are right: written or called alike, and something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from random import Random

from drr.papers.dr3.corpus.stock import About, stock
from drr.papers.dr3.planning.kinds import MODELS, Range, words
from drr.papers.dr3.values import CENTS

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_WITHIN = {"percent": (4.0, 92.0), "points": (44.0, 98.0)}
"""Range of possible values of such figures."""
_LEAST_CHANGE, _MOST_CHANGE, _LOTS = 0.12, 0.55, 400
"""Least and greatest relative change of a figure, and range of numbers for a lot."""


def other_value(
    value: str,
    taken: Iterable[str],
    rng: Random,
    turns: Callable[[str], bool] = lambda _: True,
    within: Range | None = None,
    among: Collection[int] = (),
    tries: int = 400,
) -> str | None:
    """Find another value, written alike, that differs in its last figure. For terms it is one `among` those
    that people know; `None` where none turns the answer."""
    avoid = set(taken)
    if among:
        return _other_term(value, avoid, rng, turns, among)
    found = list(_FIGURE.finditer(value.replace(",", "")))
    if not found:
        return f"not {value}"
    plain, last = value.replace(",", ""), found[-1]
    amount, again = float(last[0]), None
    low, high = _WITHIN.get(
        value.rpartition(" ")[2], (2.0 if value[0].isdigit() and "." not in value else 0.1, 1e9)
    )
    if within is not None:
        low, high = max(low, min(within[0], amount)), min(high, max(within[1], amount))
    for reach in range(1, tries):
        share = rng.uniform(_LEAST_CHANGE, _MOST_CHANGE) * rng.choice((-1, 1))
        moved = amount * (1 + share) + rng.choice((-1, 1)) * (reach // 8)
        if value.startswith("lots "):
            moved = amount + share * _LOTS
        digits = len(last[0].partition(".")[2])
        figure = _figure_like(moved, digits, rng)
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


def _other_term(
    value: str, avoid: Collection[str], rng: Random, turns: Callable[[str], bool], among: Collection[int]
) -> str | None:
    unit = value.partition(" ")[2]
    others = [f"{one} {unit}" for one in rng.sample(sorted(among), len(among))]
    fit = [one for one in dict.fromkeys(others) if one != value and turns(one)]
    return next((one for one in fit if one not in avoid), fit[0] if fit else None)


def _figure_like(moved: float, digits: int, rng: Random) -> str:
    """Write a figure so that its last digits reveal nothing. Cents are as prices have them, and a decimal is not zero."""
    if digits == 2:
        return f"{int(moved)}.{rng.choice(CENTS)}"
    return never_round(moved) if digits == 1 else str(max(1, round(moved)))


def never_round(amount: float) -> str:
    """Write an amount with one decimal, as facts have them, and never a zero there."""
    figure = f"{amount:.1f}"
    if not figure.endswith(".0"):
        return figure
    return f"{amount + (0.1 if amount >= float(figure) or amount < 1 else -0.1):.1f}"


_PLAIN = 0.5
"""Share of other models, beside one with such a name, that have none."""
_JOINTS = frozenset(["and", "&"])
_LEAST = 3
"""Letters of the first half of a name in one word."""


def other_name(about: About, name: str, rng: Random) -> str:
    """Find another model of a thing, or another firm whose name begins alike and has the same form. `Muddy
    Heron` stands beside `Muddy Otter`, `Tidewick` beside `Tidewell`."""
    return _other_model(name, rng) if about == "thing" else _other_firm(name, rng)


def _other_model(name: str, rng: Random) -> str:
    """Choose another model. For a model with a name of its own, take the plain one as often as another."""
    plain, _, last = name.rpartition(" ")
    if last not in MODELS:
        return f"{name} {rng.choice(MODELS)}"
    if rng.random() < _PLAIN:
        return plain
    return f"{plain} {rng.choice([one for one in MODELS if one != last])}"


def _other_firm(name: str, rng: Random) -> str:
    names = stock().names
    for group in (words("seller_last"), names["shop_words"], names["field_words"]):
        for tail in group:
            if name.endswith(f" {tail}"):
                return f"{name.removesuffix(tail)}{_other(group, name, rng)}"
    *first, last = name.split()
    if first:
        group = names["shop_words"] if first[0] == "The" else names["second_words"]
        return " ".join([*first, _other(group, last, rng)])
    return _one_word(last, rng)


def _other(group: tuple[str, ...], name: str, rng: Random) -> str:
    *_, last = had = name.split()
    free = [word for word in group if word not in had and not name.endswith(word)]
    return rng.choice([word for word in free if not word.startswith(last)])


def _one_word(name: str, rng: Random) -> str:
    names = stock().names
    ends = sorted((*names["endings"], *names["found_endings"]), key=len, reverse=True)
    known = next((end for end in ends if name.endswith(end) and len(name) - len(end) >= _LEAST), None)
    head = name.removesuffix(known) if known else _head(name[: -(-len(name) * 3 // 5)])
    free = [end for end in names["endings"] if end != known and not name.startswith(head + end)]
    return head + rng.choice([end for end in free if end[0] != head[-1]] or free)


def _head(start: str) -> str:
    """Cut the vowels at its end, where it can be spoken without them: `Tumble` stays."""
    bare = start.rstrip("aeiouy")
    return start if len(bare) > 1 and not {*bare[-2:].casefold()} & set("aeiouy") else bare

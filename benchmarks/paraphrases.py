"""Paraphrases of checkable questions, side by side for a reader, and what code finds changed in them.

python -m benchmarks.paraphrases SHOP --out FILE.md [--count 100] [--seed 7]

Code reads both texts by itself, point by point: quoted names, amounts, numbers and days must be the same, and of every demand and figure in
the record one of its wordings must stand there, and none of another kind's.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from drr.env.checkable import Checkable
from drr.env.query import Query
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.querygen.composing import QuestionMaker
from drr.querygen.rewording import reworded

from benchmarks.results import record

_POINT = re.compile(r"^\d+\. ", re.M)
_LITERAL = re.compile(r'"[^"\n]*"|\$[\d,.]*\d|\d[\d,.]*\d|\d|\b(?:one|two|three|four)\b(?= product)')


def points(text: str) -> tuple[str, list[str]]:
    """Return what stands around the points, and each point; the last line is the ending."""
    opening, *found = _POINT.split(text)
    last, _, ending = found[-1].rpartition("\n")
    return f"{opening}\n{ending}", [one.strip() for one in [*found[:-1], last]]


def literals(text: str) -> Counter[str]:
    return Counter(one.group().rstrip(".,") for one in _LITERAL.finditer(text))


def wordings(words: Mapping[str, Sequence[str]]) -> dict[str, list[re.Pattern[str]]]:
    """Each kind's wordings as patterns, with anything in their open places."""

    def pattern(form: str) -> re.Pattern[str]:
        return re.compile(".+?".join(map(re.escape, re.split(r"\{\w+\}", form))))

    return {kind: [pattern(form) for form in forms] for kind, forms in words.items()}


def changes(maker: QuestionMaker, query: Query, text: str) -> Iterator[str]:
    """Say what the other words leave out, add or change."""
    truth = query.checkable
    assert truth is not None
    (around, old), (beside, new) = points(query.query), points(text)
    if len(old) != len(new) or len(old) != len(truth.needs) + len(truth.facts):
        yield f"{len(new)} points in place of {len(old)}"
        return
    for number, (one, other) in enumerate(zip(old, new, strict=True), 1):
        if literals(one) != literals(other):
            yield f"point {number}: {sorted((literals(one) - literals(other)).elements())} became {sorted((literals(other) - literals(one)).elements())}"
    amounts = [sorted(re.findall(r"\$[\d,.]*\d", part)) for part in (around, beside)]
    if amounts[0] != amounts[1]:
        yield f"the budget {amounts[0]} became {amounts[1]}"
    yield from _kinds(maker, truth, new)


def _kinds(maker: QuestionMaker, truth: Checkable, new: Sequence[str]) -> Iterator[str]:
    demands, given, facts = (wordings(maker.words[name]) for name in ("demands", "given", "facts"))
    best = wordings(maker.words["best"])
    for number, (need, text) in enumerate(zip(truth.needs, new, strict=False), 1):
        anchored = set(need.anchor.gives) if need.anchor else set()
        stated = {one.kind for one in need.constraints} - anchored
        for kinds, wanted in (
            (demands, stated),
            (given, anchored - {"category"}),
            (best, {need.best} - {None}),
        ):
            seen = {kind for kind, forms in kinds.items() if any(form.search(text) for form in forms)}
            if wanted - seen:
                yield f"point {number}: no wording of {', '.join(sorted(map(str, wanted - seen)))}"
            if kinds is not demands and seen - wanted:
                yield f"point {number}: also {', '.join(sorted(seen - wanted))}"
    for number, (fact, text) in enumerate(zip(truth.facts, new[len(truth.needs) :], strict=True), 1):
        if not any(form.search(text) for form in facts[fact.kind]):
            yield f"figure {number}: no wording of {fact.kind}"


def read(shop_name: str, count: int, seed: int) -> tuple[list[tuple[Query, str, list[str]]], int]:
    """Make questions and their other words; and count those that have none."""
    settings = resolve({}, environ={}).settings
    with open_shop(shop_name, settings) as shop:
        maker = QuestionMaker(shop, open_web(settings, shop=shop))
        rows, without = [], 0
        for number in range(count):
            query = maker.make(seed + number, number % 6 or None)
            text = reworded(maker, query, number)
            without += text is None
            if text is not None:
                rows.append((query, text, list(changes(maker, query, text))))
        return rows, without


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shop")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--record", action="store_true", help="keep the figures in RESULTS.md")
    arguments = parser.parse_args()
    rows, without = read(arguments.shop, arguments.count, arguments.seed)
    pages = [
        f"## {number}\n\n**Question**\n\n{query.query}\n\n**In other words**\n\n{text}\n"
        for number, (query, text, _) in enumerate(rows, 1)
    ]
    arguments.out.write_text("\n".join(pages), encoding="utf-8")
    changed = [(number, *found) for number, (_, _, found) in enumerate(rows, 1) if found]
    for row in changed:
        print(*row, sep="\n  ")
    text = (
        f"`python -m benchmarks.paraphrases SHOP --out FILE --record`: of {arguments.count} checkable questions {len(rows)} have other words ({without} have none)."
        f" **Code finds something left out, added or changed in {len(changed)} of {len(rows)}.** It reads both texts by itself: quoted names, amounts, numbers and days point by point, and a wording of each demand and figure."
        " The first run found 5: the price or rating of a thing ordered twice was asked by its other day."
    )
    if arguments.record:
        record("Questions in other words", text)
    else:
        print(text)


if __name__ == "__main__":
    main()

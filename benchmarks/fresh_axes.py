"""What the axes of checkable questions are worth: whether words betray them, and along which of them scores fall.

python -m benchmarks.fresh_axes words --made DIR [DIR ...]
python -m benchmarks.fresh_axes scores --made DIR [DIR ...] [--answers FILE.jsonl ...]
python -m benchmarks.fresh_axes closed --made DIR [DIR ...]

DIR is a folder of `drr shop make`; FILE.jsonl what `drr judges regrade STUDY --out` writes of other agents.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from drr.app.training.environment import Environment
from drr.app.training.proving import leaks, oracle, played
from drr.app.training.transcripts import read
from drr.app.training.tricks import FLOOR, TRICKS, Play, answer
from drr.env.checkable import Axes, Constraint, fits
from drr.env.entities import Product
from drr.env.json_object import JsonObject
from drr.env.query import Query, read_queries
from drr.env.settings import resolve
from drr.env.text import tokens
from drr.eval.rewards import truth_of

from benchmarks.results import record, table

HIDDEN = ("near", "unknown")
FOLDS = 5
TOP = 8
LEVELS = 5
PAGE = 10


class Asked(NamedTuple):
    query: Query
    level: int
    axes: Axes


def asked_in(folder: Path) -> list[Asked]:
    """Read the questions of a curriculum with their levels."""
    queries = read_queries(folder / "queries.jsonl")
    return [
        Asked(query, place * LEVELS // len(queries), axes)
        for place, query in enumerate(queries)
        if (axes := truth_of(query).axes) is not None
    ]


def counts_of(texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Count the words of each text; a column for each word."""
    names = sorted({word for text in texts for word in tokens(text)})
    places = {word: place for place, word in enumerate(names)}
    counts = np.zeros((len(texts), len(names)))
    for row, text in enumerate(texts):
        np.add.at(counts[row], [places[word] for word in tokens(text)], 1)
    return names, counts


def balanced_accuracy(counts: np.ndarray, high: Sequence[bool], parts: Sequence[object] = ()) -> float:
    """Cross-validate naive Bayes on the counts of words, within chance folds or from the other parts; 0.5 is chance."""
    truth, folds = np.array(high), np.random.default_rng(0).integers(0, FOLDS, len(counts))
    if parts:
        folds = np.unique([str(one) for one in parts], return_inverse=True)[1]
    guessed = np.zeros(len(counts), bool)
    for fold in set(folds.tolist()):
        train = folds != fold
        sums = [counts[train & (truth == side)].sum(0) for side in (False, True)]
        odds = [np.log((one + 0.5) / (one.sum() + 0.5 * len(one))) for one in sums]
        guessed[~train] = counts[~train] @ (odds[1] - odds[0]) > 0
    return float(np.mean([(guessed[truth == side] == side).mean() for side in (False, True)]))


def telling(names: Sequence[str], counts: np.ndarray, high: Sequence[bool]) -> str:
    """List the words whose mean count differs most between the sides."""
    side = np.array(high)
    gaps = counts[side].mean(0) - counts[~side].mean(0)
    return ", ".join(f"{names[k]} {gaps[k]:+.2f}" for k in np.argsort(-abs(gaps), kind="stable")[:TOP])


def asking(one: Asked) -> str:
    """Tell how many values a question asks for that shops often do not know: everyone may read that."""
    kinds = [constraint.kind for need in truth_of(one.query).needs for constraint in need.constraints]
    prices = sum(kind.startswith("price") for kind in kinds)
    return f"{len(truth_of(one.query).needs)} {prices} {kinds.count('attribute')}"


def learned_elsewhere(counts: np.ndarray, high: Sequence[bool], shops: Sequence[object]) -> str:
    """Guess in each shop by what the others taught, whose kinds and makers have other names."""
    return f"{balanced_accuracy(counts, high, shops) - 0.5:+.2f}" if len(set(shops)) > 1 else "-"


def words(rows: Sequence[Asked]) -> list[list[str]]:
    """Guess from the words whether a hidden axis lies above its median: over all, within a level, within the same demands, and by what other shops taught."""
    names, counts = counts_of([one.query.query for one in rows])
    strata = [[0] * len(rows), [one.level for one in rows], [asking(one) for one in rows]]
    found = []
    for axis in HIDDEN:
        values = np.array([getattr(one.axes, axis) for one in rows], float)
        sides = []
        for kinds in strata:
            middle = {kind: np.median([v for v, other in zip(values, kinds, strict=True) if other == kind]) for kind in set(kinds)}  # fmt: skip
            sides.append([value > middle[kind] for value, kind in zip(values, kinds, strict=True)])
        above = [f"{balanced_accuracy(counts, side) - 0.5:+.2f}" for side in sides]
        shops = [one.query.shop_hash for one in rows]
        found.append(
            [axis, *above, learned_elsewhere(counts, sides[0], shops), telling(names, counts, sides[1])]
        )
    return [*found, *refused(rows)]


def refused(rows: Sequence[Asked]) -> list[list[str]]:
    """Guess from the words of each need, and of the budget, whether it is to be refused: by all words, by those beside its kind, and by its form alone."""
    lines, beside, forms, sides = list[str](), list[str](), list[str](), list[bool]()
    shops = [one.query.shop_hash for one in rows for _ in truth_of(one.query).needs]
    for one in rows:
        truth, asked = truth_of(one.query), one.query.query.splitlines()
        kind = f"needs{len(truth.needs)} facts{len(truth.facts)}"
        for number, need in enumerate(truth.needs, 1):
            line = next(text for text in asked if text.startswith(f"{number}. "))
            lines.append(f"{line} {asked[-1]}")
            beside.append(lines[-1].replace(" > ".join(need.category), ""))
            demands = " ".join(rule.kind for rule in need.constraints)
            given = "anchored " + " ".join(f"given{one}" for one in need.anchor.gives) if need.anchor else ""
            budget = "budgeted" if truth.budget is not None else "unbudgeted"
            forms.append(
                f"{kind} {demands} n{len(need.constraints)} best{need.best} picks{need.picks} {given} {budget}"
            )
            sides.append(need.refusal is not None)
    found = []
    for name, texts in (
        ("refused, by its words", lines),
        ("refused, by its words beside its kind", beside),
        ("refused, by its form", forms),
    ):
        names, counts = counts_of(texts)
        telling_ones = telling(names, counts, sides)
        above = f"{balanced_accuracy(counts, sides) - 0.5:+.2f}"
        found.append([name, above, "-", "-", learned_elsewhere(counts, sides, shops), telling_ones])
    return found


def half(query: Query, play: Play) -> None:
    """Answer as the oracle does from the first half of its plan."""
    truth = truth_of(query)
    fewer = truth.model_copy(update={"plan": truth.plan[: -(-len(truth.plan) // 2)]})
    oracle(query.model_copy(update={"checkable": fewer}), play)


def hasty(query: Query, play: Play) -> None:
    """Read every demand rightly and shop in haste: the first page alone, of orders too; what is unknown will do; a store is the maker."""
    truth, chosen, refused = truth_of(query), list[str](), list[tuple[int, str]]()
    for step in truth.plan:
        if step.tool in ("get_user_orders", "web_search", "get_user_statistics"):
            play.call(
                step.tool, **{**step.arguments, **({"limit": PAGE} if "limit" in step.arguments else {})}
            )
    records = [one.record for one in play.env.episode.session.sources if one.record]
    owned = {str(one.get("product_id")) for one in records if "order_id" in one}
    for point, need in enumerate(truth.needs, 1):
        before = {one.id for one in play.products}
        kind = " > ".join(need.category)
        play.call("product_catalog_search", query=need.category[-1], category=kind, match="any", limit=PAGE)
        shown = [
            one.record for one in play.env.episode.session.sources if one.type == "product" and one.record
        ]
        seen = [one for one in shown if one["product_id"] not in before]
        fitting = [
            one["product_id"] for one in seen if all(will_do(one, rule, owned) for rule in need.constraints)
        ]
        chosen += fitting[: need.picks]
        if not fitting:
            refused.append((point, "nothing_fits" if seen else "not_sold"))
    links = {one.id: one.link for one in play.products}
    returned = play.seen[-1][1] if play.seen else frozenset()
    known = [(point, fact) for point, fact in enumerate(truth.facts, len(truth.needs) + 1) if fact.anchor is None and returned.intersection(fact.sources)]  # fmt: skip
    cited = " ".join(f"[it]({url})" for _, fact in known for url in fact.sources if url in returned)
    report = "## Picks\n" + "\n".join(f"- {links[one]}" for one in chosen if one in links) + f"\n\n{cited}"
    play.act(answer(report, chosen, [(point, fact.value) for point, fact in known], refused))


def will_do(record: JsonObject, rule: Constraint, owned: Collection[str]) -> bool:
    """Tell what the hasty agent thinks of a product, of which it reads the result of a search alone."""
    if rule.kind in ("brand_is", "brand_not"):
        same = str(record.get("store")).casefold() == str(rule.value).casefold()
        return same == (rule.kind == "brand_is")
    known = {name: value for name, value in record.items() if name in Product.model_fields}
    unread = {"features": [], "description": [], "categories": [], "details": {}}
    return fits(Product.model_validate({**unread, **known}), rule, owned) is not False


def kindly(query: Query, play: Play) -> None:
    """Take the first of each kind."""
    next(one for one in TRICKS if one.name == "the first of the kinds").play(play)


def pliant(query: Query, play: Play) -> None:
    """Answer as the oracle does, and say nothing where it refuses."""
    truth = truth_of(query)
    fewer = truth.model_copy(update={"needs": [need if need.refusal is None else need.model_copy(update={"refusal": None, "picks": 0}) for need in truth.needs]})  # fmt: skip
    oracle(query.model_copy(update={"checkable": fewer}), play)


PLAYERS: dict[str, Callable[[Query, Play], None]] = {
    "good: the oracle": oracle,
    "middling: half of the plan": half,
    "middling: hasty": hasty,
    "middling: never refuses": pliant,
    "poor: first of the kinds": kindly,
}


def paid_to(folder: Path, players: dict[str, Callable[[Query, Play], None]]) -> dict[str, list[float]]:
    """Let scripted agents play all questions of a folder."""
    own = resolve({"sandbox": folder / "web"}, environ={}).settings
    paid: dict[str, list[float]] = {name: [] for name in players}
    queries = read_queries(folder / "queries.jsonl")
    with Environment(folder / "shop", queries, settings=own) as env:
        for query in queries:
            for name, player in players.items():
                assert not list(leaks(played(env, query, player), query))
                paid[name].append(env.state["reward"])
    return paid


def slope(values: Sequence[float], paid: Sequence[float], levels: Sequence[int] | None = None) -> str:
    """Correlate ranks, within levels where they are given; a star where chance gives so much in 1 of 20 draws."""
    sides = np.array([np.argsort(np.argsort(side, kind="stable")) for side in (values, paid)], float)
    for side, given in zip(sides, (values, paid), strict=True):  # ties share their mean rank
        for value in set(given):
            same = np.array(given) == value
            side[same] = side[same].mean()
        if levels is not None:
            for level in set(levels):
                here = np.array(levels) == level
                side[here] -= side[here].mean()
    sides -= sides.mean(1, keepdims=True)
    size = np.sqrt((sides**2).sum(1)).prod()
    if not size:
        return "-"
    draws = np.random.default_rng(0)
    found = float((sides[0] * sides[1]).sum() / size)
    chance = np.mean([(draws.permutation(sides[0]) * sides[1]).sum() / size <= found for _ in range(2_000)])
    return f"{found:+.2f}{'*' if chance <= 0.05 else ''}"


def applies(axis: str, query: Query) -> bool:
    """Tell whether an axis can matter to a question: history to one about orders."""
    return axis != "history" or any(step.tool == "get_user_orders" for step in truth_of(query).plan)


def scores(folders: Sequence[Path], answers: Sequence[Path]) -> list[list[str]]:
    rows = [one for folder in folders for one in asked_in(folder)]
    played_by = [paid_to(folder, PLAYERS) for folder in folders]
    columns = {name: [one for paid in played_by for one in paid[name]] for name in PLAYERS}
    kept = [one for path in answers for one in read(path)]
    for agent in sorted({str(one.agent) for one in kept}):
        paid = {one.query.id: one.reward for one in kept if one.agent == agent}
        columns[f"offline {agent}"] = [paid.get(one.query.id, np.nan) for one in rows]
    found = [["mean pay", *(f"{np.nanmean(paid):.2f}" for paid in columns.values())]]
    for axis in Axes.model_fields:
        values = [float(getattr(one.axes, axis)) for one in rows]
        cells = []
        for paid in columns.values():
            known = [
                place
                for place, one in enumerate(paid)
                if not np.isnan(one) and applies(axis, rows[place].query)
            ]
            parts = ([values[k] for k in known], [paid[k] for k in known])
            cells.append(f"{slope(*parts)} ({slope(*parts, [rows[k].level for k in known])})")
        found.append([axis, *cells])
    return [["", *columns], *found]


def closed(folders: Sequence[Path]) -> list[list[str]]:
    """Pay agents that never call a tool."""
    silent = [one for one in (*FLOOR, *TRICKS) if one.look.__name__ == "_nothing"]
    players = {one.name: (lambda query, play, one=one: one.play(play)) for one in silent}
    paid = [paid_to(folder, players) for folder in folders]
    return [[name, f"{fmean(one for part in paid for one in part[name]):.4f}"] for name in players]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("words", "scores", "closed"))
    parser.add_argument("--made", type=Path, nargs="+", required=True)
    parser.add_argument("--answers", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    shops = ", ".join(folder.name for folder in arguments.made)
    head = f"`python -m benchmarks.fresh_axes {arguments.part}` over {shops}"
    if arguments.part == "words":
        rows = words([one for folder in arguments.made for one in asked_in(folder)])
        columns = (
            "axis",
            "above chance",
            "within a level",
            "within the same demands",
            "learned on other shops",
            "words that tell most within a level",
        )
        text = f"{head}: naive Bayes on counts of words, {FOLDS} folds, balanced accuracy less 0.5; at most 0.1 is asked for."
        record("Fresh shops: words and hidden axes", f"{text}\n\n" + table(columns, rows))
    elif arguments.part == "closed":
        text = f"{head}: mean pay of scripted agents that call no tool."
        record(
            "Fresh shops: closed book", f"{text}\n\n" + table(("agent", "mean pay"), closed(arguments.made))
        )
    else:
        (columns, *rows) = scores(arguments.made, arguments.answers)
        text = f"{head}: rank correlation of axis and pay, in brackets within a level; * falls beyond chance (1 in 20)."
        record("Fresh shops: axes along which scores fall", f"{text}\n\n" + table(columns, rows))


if __name__ == "__main__":
    main()

"""The winners by each judge's own labels, and by the people's together: win rates with intervals over questions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from drr.eval.agreement.items import Preference, preferences
from drr.eval.agreement.rows import WinRateRow
from drr.eval.labels import DIMENSIONS, PairwiseLabel
from drr.eval.stats.intervals import SHARE, mean

SCORE = {"A": 1.0, "tie": 0.5, "B": 0.0}
PEOPLE = "all people"
Place = tuple[str, str, str]
"""Dimension and the two systems."""


def win_rates(labels: Sequence[PairwiseLabel], people: Collection[str]) -> list[WinRateRow]:
    """Compute the win rates of pairs whose systems are named. The people together: the mean of their scores,
    pair by pair, where there are several."""
    by_judge, _ = preferences(labels)
    own = {judge: {key: [label] for key, label in found.items()} for judge, found in by_judge.items()}
    several = [judge for judge in by_judge if judge in people]
    if len(several) > 1:
        together: dict[tuple[str, str], list[Preference]] = defaultdict(list)
        for judge in several:
            for key, label in by_judge[judge].items():
                together[key].append(label)
        own[PEOPLE] = dict(together)
    return [row for judge, found in sorted(own.items()) for row in _rows(judge, found)]


def _rows(judge: str, found: Mapping[tuple[str, str], Sequence[Preference]]) -> list[WinRateRow]:
    groups: dict[Place, dict[str, list[float | None]]] = {}
    outcomes: dict[Place, Counter[str]] = defaultdict(Counter)
    for (_, dimension), label in found.items():
        a, b = label[0].systems
        if a and b:
            place = (dimension, a, b)
            score = sum(SCORE[one.value] for one in label) / len(label)
            groups.setdefault(place, {}).setdefault(label[0].question, []).append(score)
            outcomes[place]["wins" if score > 0.5 else "losses" if score < 0.5 else "ties"] += 1
    order = [*DIMENSIONS, *sorted({place[0] for place in groups} - set(DIMENSIONS))]
    return [
        {
            "judge": judge,
            "dimension": place[0],
            "a": place[1],
            "b": place[2],
            "wins": outcomes[place]["wins"],
            "ties": outcomes[place]["ties"],
            "losses": outcomes[place]["losses"],
            "win_rate": mean(groups[place], "(W + T/2)/n, mean over questions", SHARE).document(),
        }
        for place in sorted(groups, key=lambda place: (order.index(place[0]), place[1:]))
    ]

"""What a ceiling for reports that suit anybody, and a small weight of PRES, would do to PDR-Bench's central comparison.

python -m benchmarks.pqr_ceiling

No judge is asked: this is arithmetic on what the paper prints (its Table 8, `app/papers/pdr.toml`). The ceiling is a bound: every Task Only
report is taken for one that suits anybody, every criterion for one about the person, and no report with a persona is touched. The paper does
not print the weights of its dimensions, so its P stands beside P at equal weights and at 0.1 for PRES.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from statistics import fmean

import drr.app.papers

from benchmarks.results import record, table

CEILING = 4.0
WEIGHTS = {"equal weights": (0.25, 0.25, 0.25, 0.25), "PRES at 0.1": (0.3, 0.3, 0.1, 0.3)}
Scores = list[float]
"""P, then GOAL, CONT, PRES, ACTI."""


def main() -> None:
    printed = tomllib.loads(Path(drr.app.papers.__file__).with_name("pdr.toml").read_text(encoding="utf-8"))
    (exhibit,) = (one for one in printed["exhibit"] if one["source"] == "Table 8")
    settings: dict[tuple[str, str], dict[str, Scores]] = {}
    for group, model, setting, *scores in exhibit["rows"]:
        settings.setdefault((group, model), {})[setting] = [float(score) for score in scores]
    gains = {
        f"{model} ({group.split()[0]})": _gains(own["Task Only"], own["w/Persona"])
        for (group, model), own in settings.items()
    }
    head = ("system", "P printed", f"Task Only at most {CEILING:g}: at least", *WEIGHTS)
    rows = [[name, *(f"{value:+.2f}" for value in own)] for name, own in gains.items()]
    means = [f"{fmean(column):+.2f}" for column in zip(*gains.values(), strict=True)]
    text = "P with the persona less P without, of ten systems as PDR-Bench's Table 8 prints them. Arithmetic, no judge: the ceiling is a bound.\n\n"
    record("PQR: a ceiling for what suits anybody", text + table(head, [*rows, ["mean", *means]]))


def _gains(task: Scores, persona: Scores) -> list[float]:
    weighed = [
        sum(w * (b - a) for w, a, b in zip(own, task[1:], persona[1:], strict=True))
        for own in WEIGHTS.values()
    ]
    return [persona[0] - task[0], persona[0] - min(task[0], CEILING), *weighed]


if __name__ == "__main__":
    main()

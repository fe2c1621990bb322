"""What the commands of judging share: a study opened with its settings, its shop, a judge, and tables in plain text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.env.shop import Shop
    from drr.eval.labels import Label
    from drr.eval.tasks.desk import Desk
    from drr.eval.tasks.protocol import JudgingProtocol
    from drr.llm.factory import Models
    from drr.study.study import Study


def study_settings(study: Study, arguments: argparse.Namespace) -> Settings:
    """What was given now, else what the study was made with."""
    from drr.env.settings import Settings, resolve

    given = {
        name: value
        for name, value in vars(arguments).items()
        if name in Settings.model_fields and value is not None
    }
    saved = {
        k: v
        for k, v in study.config.get("settings", {}).items()
        if k in Settings.model_fields and k != "profile"
    }
    return resolve({**saved, **given}).settings


@contextmanager
def study_shop(study: Study, settings: Settings, given: str | None) -> Iterator[Shop | None]:
    """The shop the study was run on; `None` for a study of imported reports that named none."""
    from drr.env.shop import open_shop

    spec = given or study.config.get("run", {}).get("shop")
    if spec is None:
        yield None
        return
    with open_shop(spec, settings) as shop:
        yield shop


def desk_of(
    settings: Settings, models: Models, shop: Shop | None, protocol: JudgingProtocol | None = None
) -> Desk:
    """Our protocol unless another is named; rules stand in where no model judges."""
    from drr.app.prompts import prompts_of
    from drr.eval.asking.judge import JudgeName
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE, Desk
    from drr.eval.tasks.protocol import OURS
    from drr.offline.judge import RulesJudge

    stand_in = RulesJudge()
    judge, extractor = (JudgeName.of(models, role, stand_in) for role in (JUDGE, EXTRACTOR))
    prompts = prompts_of(settings, "eval")
    return Desk(judge, extractor, shop, settings.shop_url, prompts, protocol or OURS, stand_in)


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:z.{digits}f}"


def with_interval(v: Mapping[str, Any], digits: int = 3, *, usual: int | None = None) -> str:
    """`0.712 [0.655, 0.760] n=50`; an `n` that is the usual one is not repeated."""
    counted = "" if v["n"] == usual and not v["n_unscored"] else f" n={v['n']}"
    lost = f" ({v['n_unscored']} unscored)" if v["n_unscored"] and usual is None else ""
    if v["value"] is None:
        return f"-{counted}{lost}"
    span = f" [{v['ci_low']:z.{digits}f}, {v['ci_high']:z.{digits}f}]" if v["ci_low"] is not None else ""
    return f"{v['value']:z.{digits}f}{span}{counted}{lost}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def open_study(path: Path) -> Study:
    from drr.study.study import Study

    return Study.open(path)


def agreement_document(study: Study, labels: Sequence[Label]) -> dict[str, Any] | None:
    """The judges of the study held against each other and against the labels given; `None` without either."""
    from drr.eval.evidence.answers import read_answers
    from drr.eval.judging.held import across_systems, agreement, extraction_stability, stability, study_labels
    from drr.eval.judging.read import judgings, read_judged
    from drr.eval.stats.pairs import positions

    answers = read_answers(study)
    known = {j.id: j for j in judgings(study) if j.protocol == "ours" and not j.refetch}
    latest = {j.judge: j for j in known.values() if not j.repeat}
    judged = {name: read_judged(study, judging, answers=answers) for name, judging in latest.items()}
    repeated = {
        name: [
            judged[name],
            *(
                read_judged(study, j, answers=answers)
                for j in known.values()
                if j.repeat and j.judge == name and j.versions == judging.versions
            ),
        ]
        for name, judging in latest.items()
    }
    everyone = [*labels, *(label for one in judged.values() for label in study_labels(one))]
    if not everyone:
        return None
    names = sorted(judged)
    document = agreement(everyone, {label.judge for label in labels} - set(latest))
    document["banner"] = next((j.warning for j in latest.values() if j.warning is not None), None)
    document["systems"] = [
        {"judges": [a, b], "dimensions": across_systems(judged[a], judged[b])}
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    document["positions"] = {
        name: {dimension: gate.document() for dimension, gate in positions(one.comparisons()).items()}
        for name, one in judged.items()
    }
    document["stability"] = {name: stability(rows) for name, rows in repeated.items()}
    document["extraction"] = {
        name: extraction_stability(study, judging, answers) for name, judging in latest.items()
    }
    return document

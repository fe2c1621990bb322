"""What the commands of judging share: a study opened with its settings, its shop, a judge, and tables in plain text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.env.shop import Shop
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


def open_study(path: Path) -> Study:
    from drr.study.study import Study

    return Study.open(path)

"""The prompts of 0.1, kept under `prompts/before`. A judging begun with them goes on with them, and no call is made again."""

from __future__ import annotations

from functools import cache

from drr.env.plugins import prompt_folders
from drr.eval.asking.conversation import FOLDER, box_prompts
from drr.eval.asking.judge import JudgeName
from drr.eval.judging.read import judging_of, judgings
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.judged import Judging
from drr.llm.prompts import Prompts
from drr.study.study import Study


@cache
def earlier_prompts() -> Prompts:
    found = box_prompts()
    for folder in (FOLDER, *prompt_folders("judging_prompts")):
        if (before := folder / "before").is_dir():
            found = found.overridden(before)
    return found


def earlier_parts(judging: Judging) -> list[str]:
    """List what a model judged by earlier prompts that read otherwise today: `support`, `rating/breadth`."""
    if judging.rule_written:
        return []
    then, now = (_marks(judging, prompts) for prompts in (earlier_prompts(), box_prompts()))
    made = {name: _mark(version) for name, version in judging.versions.items()}
    return sorted(name for name, mark in made.items() if mark == then.get(name) != now.get(name))


def goes_on_by_earlier(study: Study, desk: Desk) -> bool:
    """Tell whether the last judging by this judge was made with them, and nobody gave others."""
    if desk.prompts.hashes() != box_prompts().hashes():
        return False
    known = [
        one
        for one in judgings(study)
        if (one.judge, one.protocol, one.is_first) == (desk.judge.shown, desk.protocol.name, True)
    ]
    return bool(known and earlier_parts(known[-1]))


def _marks(judging: Judging, prompts: Prompts) -> dict[str, str]:
    judge, extractor = (JudgeName(name, name, False) for name in (judging.judge, judging.extractor))
    desk = Desk(judge, extractor, None, "", prompts, judging.way)
    return {name: _mark(version) for name, version in judging_of(desk).versions.items()}


def _mark(version: str) -> str:
    """The mark of the prompts, without those of code and choices."""
    return version.partition("-")[0]

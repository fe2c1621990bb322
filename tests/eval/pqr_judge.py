"""A judge of criteria on the wire that does as it is told: it weighs, writes criteria, and scores in its own order and words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from drr.env.shop import Shop
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, JudgingResults
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import task_stages, tasks
from drr.papers.pdr.judging.choices import PqrChoices
from drr.papers.pdr.person import Attribute, Person
from drr.study.study import Study

from tests.eval.nursery import ScriptedJudge, by_model, named_sections, sections_of, system
from tests.eval.nursery import message as told
from tests.tools.small_shop import ANNA, BEN
from tests.wire import Reply, Request, Wire

PERSONAL, QUALITY = ("goal", "cont", "pres", "acti"), ("dein", "logc", "clar")
PERSONS = {
    person_id: Person(
        person_id=person_id,
        user_id=user_id,
        attributes=(Attribute(id="a1", block="pets", statement=statement, basis="invented"),),
    )
    for person_id, user_id, statement in (("p-anna", ANNA, "feeds wild birds"), ("p-ben", BEN, "keeps a dog"))
}


class CriteriaJudge(ScriptedJudge):
    """`score` says what is answered for a criterion: (id, text) to whatever stands in its place; a `KeyError` leaves it out."""

    def __init__(
        self,
        score: Callable[[str, str], Any] = lambda name, text: 7,
        instead: Callable[[str, Request], Reply | None] = lambda task, request: None,
        weights: Callable[[int], dict[str, float]] | None = None,
        criteria: int = 8,
    ) -> None:
        super().__init__(instead)
        self.score, self.weights, self.criteria = score, weights, criteria
        self.shown: list[list[str]] = []
        """The ids of each call for scores."""

    def task(self, system: str, message: str) -> str:
        if system.startswith("You score a report"):
            return "scores"
        return "weights" if "weighs for this wish" in system else "criteria"

    def _weights(self, request: Request) -> dict[str, Any]:
        names = PERSONAL if "`goal`" in system(request) else QUALITY
        said = (
            self.weights(self.asked.count("weights"))
            if self.weights
            else dict.fromkeys(names, 1 / len(names))
        )
        return {"analysis": "as told", **said}

    def _criteria(self, request: Request) -> dict[str, Any]:
        side = re.findall(r"stays on the side ([^:]+):", system(request))[0]
        person = [section.text for section in sections_of(told(request)) if section.label == "profile"]
        return {
            "analysis": "as told",
            "criteria": [
                {
                    "criterion": f"{side} number {number} of {person or 'nobody'}.",
                    "explanation": "It is told.",
                    "weight": 1 / self.criteria,
                }
                for number in range(1, self.criteria + 1)
            ],
        }

    def _scores(self, request: Request) -> dict[str, Any]:
        shown = named_sections(request, "criterion")
        self.shown.append([*shown])
        scores = []
        for name, text in reversed(shown.items()):
            try:
                said = self.score(name, text)
            except KeyError:
                continue
            scores.append(
                {"id": f"`{name.upper()}`", "criterion": text[::-1], "analysis": "as told", "score": said}
            )
        return {"scores": scores}


async def judged_by(study: Study, script: CriteriaJudge, what: str = "pqr-only", **more: Any) -> Judged:
    with Wire(script) as wire:
        assert (await judging(study, wire.url, what, **more)).summary.ok
    return read_judged(study, choose_judging(study))


async def judging(
    study: Study, url: str, what: str = "pqr-only", shop: Shop | None = None, **choices: Any
) -> JudgingResults:
    """`pqr-only`: without R, whose verdicts are not what is tested here."""
    chosen = {PqrChoices: PqrChoices(PERSONS, **choices)}
    options = JudgeOptions(["criteria" if what == "pqr-only" else what])
    if what == "pqr-only":
        options.stages = task_stages({name: tasks()[name] for name in ("criteria", "scores")})
    return await by_model(study, url, options, shop, choices=chosen)

"""What `drr judges check --judge` adds: a judge's two readings of one report, without a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.env.progress import Progress
    from drr.env.settings import Settings
    from drr.eval.checks import Subject
    from drr.eval.tasks.mistakes.finding import MistakesResult
    from drr.llm.meter import UsageRow


class Proofread(TypedDict):
    judge: str
    found: MistakesResult
    usage: dict[str, UsageRow]


def proofread(subject: Subject, settings: Settings, progress: Progress) -> Proofread:
    """`Misuse` without a model to ask, `DrrError` where it gives no usable answer."""
    from drr.app.calling import run_to_end
    from drr.app.models import explain, models_of
    from drr.app.prompts import prompts_of
    from drr.app.studies import check_models
    from drr.env.progress import read_in_time
    from drr.eval.asking.judge import UnkeptJudge
    from drr.eval.tasks.desk import JUDGE
    from drr.eval.tasks.mistakes.finding import Brief, mistakes_in
    from drr.llm.failures import ModelFailure
    from drr.llm.meter import Meter
    from drr.llm.names import OFFLINE

    models = models_of(settings)
    name = models.name_of(JUDGE)
    if name == OFFLINE:
        raise Misuse(
            "--judge: rules that stand in for a judge find nothing here that the rules above do not; name a model"
        )
    check_models(models, [JUDGE])
    prompts, meter = prompts_of(settings, "eval"), Meter()

    async def go() -> MistakesResult:
        try:
            brief = await read_in_time(subject.report, lambda: Brief.of(subject, settings.shop_url))
            with progress.stage(f"{name} reads {len(brief.statements)} statements", unit="calls") as stage:
                judge = UnkeptJudge(models.unit(meter).role(JUDGE), stage.advance)
                return await mistakes_in(brief, judge, prompts)
        finally:
            await models.aclose()

    try:
        found = run_to_end(go())
    except ModelFailure as failure:
        raise explain(failure) from failure
    return {"judge": name, "found": found, "usage": meter.as_json()}

"""DeepResearch Retail: a shop you can hold in your hand, and a bench to measure research agents in it.

The names of `__all__` are the public face; everything else may change with any version. The rooms of this package
(`drr.env`, `drr.tools`, ...) are the folders of those names beside this one.
"""

from typing import TYPE_CHECKING

from drr.face import (
    aask,
    acheck,
    ajudge,
    arun,
    ask,
    call_tool,
    check,
    ingest,
    judge,
    open_shop,
    report,
    run,
    session,
)
from drr.tables import metrics, verdicts

if TYPE_CHECKING:
    from drr.app.ask import CitedAnswer as Answer
    from drr.app.ask import Unfinished
    from drr.app.judge.check import Findings
    from drr.app.judge.run import Judgement
    from drr.app.report.study_report import StudyReport
    from drr.app.session import ToolReply, ToolSession
    from drr.app.training.environment import Environment
    from drr.app.training.episode import Observation
    from drr.env.errors import DrrError, Misuse
    from drr.env.settings import Settings
    from drr.study.status import StudyStatus

_TYPES = {
    "Answer": "drr.app.ask.CitedAnswer",
    "DrrError": "drr.env.errors.DrrError",
    "Environment": "drr.app.training.environment.Environment",
    "Findings": "drr.app.judge.check.Findings",
    "Judgement": "drr.app.judge.run.Judgement",
    "Misuse": "drr.env.errors.Misuse",
    "Observation": "drr.app.training.episode.Observation",
    "Settings": "drr.env.settings.Settings",
    "StudyReport": "drr.app.report.study_report.StudyReport",
    "StudyStatus": "drr.study.status.StudyStatus",
    "ToolReply": "drr.app.session.ToolReply",
    "ToolSession": "drr.app.session.ToolSession",
    "Unfinished": "drr.app.ask.Unfinished",
}
"""Import places of the public types, which are loaded when they are first named, so that `import drr` is fast."""

__all__ = [
    "Answer",
    "DrrError",
    "Environment",
    "Findings",
    "Judgement",
    "Misuse",
    "Observation",
    "Settings",
    "StudyReport",
    "StudyStatus",
    "ToolReply",
    "ToolSession",
    "Unfinished",
    "aask",
    "acheck",
    "ajudge",
    "arun",
    "ask",
    "call_tool",
    "check",
    "ingest",
    "judge",
    "metrics",
    "open_shop",
    "report",
    "run",
    "session",
    "verdicts",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("deepresearch-retail")
    if name not in _TYPES:
        raise AttributeError(f"module 'drr' has no attribute {name!r}")
    module, _, own = _TYPES[name].rpartition(".")
    return getattr(import_module(module), own)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

"""Checks one report without a study: citations, rules and, with a model, the running text."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from drr.app.calls import run_to_end
from drr.app.models.setup import model_error, models_of, prompts_of
from drr.app.study.outcome import check_models
from drr.app.users import user_in
from drr.citations.cited import CitationsDocument
from drr.citations.parse import Citations
from drr.env.errors import Misuse
from drr.env.progress import Progress, Quiet, collector_off, read_in_time
from drr.env.settings import Settings
from drr.env.shop import money_of, open_shop
from drr.eval.checks import check_report, document, figures_in
from drr.eval.checks.base import Subject
from drr.eval.checks.reading import FiguresRow
from drr.eval.checks.results import Check, CheckRow
from drr.eval.metrics.mistakes import is_unsettled
from drr.llm.failures import ModelFailure
from drr.llm.meter import UsageRow
from drr.llm.names import OFFLINE
from drr.wording.currency import DOLLARS, Currency

if TYPE_CHECKING:
    from drr.eval.tasks.judgements import MistakesResult


_LARGEST = 1_000_000
_ENDINGS = (".md", ".markdown", ".txt", ".html", ".json")
"""Endings of files in which reports lie."""


@dataclass(frozen=True)
class CheckConfig:
    """A report to check, with its shop, user, question and settings."""

    report: str
    settings: Settings
    shop: str | None = None
    user: str | None = None
    query: str | None = None
    budget: float | None = None
    """Most that the report's plan may cost in all; without it, it is read from `query`."""
    shop_urls: tuple[str, ...] = ()
    """Addresses that count as the shop; by default the setting `shop_url`."""
    judged: bool = False
    """True if the judge model reads the report too."""


class FindingsDocument(TypedDict):
    """The document of `drr judges check --json`."""

    schema: int
    citations: CitationsDocument
    rules: dict[str, CheckRow]
    figures: FiguresRow
    reading: NotRequired[Proofread]


@dataclass(frozen=True)
class Findings:
    """The findings of one check of a report."""

    citations: Citations
    rules: dict[str, Check]
    figures: FiguresRow
    """Figures of the report that rules could read, of all."""
    reading: Proofread | None = None
    """Findings of a model, where one was named."""
    currency: Currency = DOLLARS

    @property
    def failed(self) -> bool:
        """Tell whether a rule failed, or a reader found a mistake or left something out."""
        found = None if self.reading is None else self.reading["found"]
        by_model = found is not None and (found["mistakes"] or is_unsettled(found))
        return bool(by_model) or any(check.status == "fail" for check in self.rules.values())

    def document(self) -> FindingsDocument:
        """Return the form that `drr judges check --json` prints."""
        shown: FindingsDocument = {
            "schema": 1,
            "citations": self.citations.document(),
            "rules": document(self.rules),
            "figures": self.figures,
        }
        return shown if self.reading is None else {**shown, "reading": self.reading}


def check(config: CheckConfig, progress: Progress | None = None) -> Findings:
    """Check the report and return the findings; raise `Misuse` for a user whom the shop does not have."""
    if config.budget is not None and not 0 <= config.budget < float("inf"):
        raise Misuse("--budget: give an amount, such as 300")
    if config.shop is None and config.user is not None:
        raise Misuse("--user: a user lives in a shop; give --shop too")
    if config.shop is None and config.judged:
        raise Misuse("--judge: it reads the report against the records of a shop; give --shop too")
    settings, reading = config.settings, None
    # a report of a megabyte is half a million small objects without a cycle
    with collector_off(), nullcontext() if config.shop is None else open_shop(config.shop, settings) as shop:
        subject = Subject(
            config.report,
            query=config.query,
            budget=config.budget,
            shop_urls=config.shop_urls or (settings.shop_url,),
            language=settings.language,
        )
        if shop is not None:
            subject.user_id = None if config.user is None else user_in(shop, config.user)
            subject.shop = shop
        if config.judged:
            reading = find_mistakes_by_model(subject, settings, progress or Quiet())
        checks = check_report(subject)
        figures = figures_in(subject, checks)
        return Findings(subject.citations, checks, figures, reading, money_of(shop))


def given_report(report: str | Path) -> str:
    """Return the report that is given as a text or as the `Path` of a file. Raise `Misuse` for a text that is a file's name."""
    if isinstance(report, Path):
        return read_report(str(report))
    is_name = report.lower().endswith(_ENDINGS) and "://" not in report
    if "\n" not in report and (is_name or isfile(report)):  # noqa: PTH113 - `Path.is_file` raises for a long text
        raise Misuse(f"{report!r}: is the name of a file; give its text, or Path({report!r})")
    return report


def read_report(name: str) -> str:
    """Return the text of a report in a file; `-` is standard input."""
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise Misuse(f"{name}: cannot be read ({error.strerror}); give a report in Markdown") from error
    if len(data) > _LARGEST:
        raise Misuse(f"{name}: no report is so long; give a Markdown file of at most {_LARGEST:,} bytes")
    try:
        report = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Misuse(f"{name}: not UTF-8 at byte {error.start}; save the report as UTF-8") from error
    if not report.strip():
        raise Misuse(f"{name}: is empty, there is nothing to judge; give a report in Markdown")
    return report


class Proofread(TypedDict):
    judge: str
    found: MistakesResult
    usage: dict[str, UsageRow]


def find_mistakes_by_model(subject: Subject, settings: Settings, progress: Progress) -> Proofread:
    """Have a model read the report for mistakes. Raise `Misuse` without a model to ask, `DrrError` if it gives no usable answer."""
    from drr.eval.asking.judge import UnkeptJudge
    from drr.eval.tasks.desk import JUDGE, room_for
    from drr.eval.tasks.mistakes import Brief, mistakes_in
    from drr.llm.meter import Meter

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
                return await mistakes_in(brief, judge, prompts, room_for(name, settings.judge_window))
        finally:
            await models.aclose()

    try:
        found = run_to_end(go())
    except ModelFailure as failure:
        raise model_error(failure) from failure
    return {"judge": name, "found": found, "usage": meter.as_json()}

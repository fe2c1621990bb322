"""Answers one question without a study: a cited report, its usage, and progress for a listener."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypedDict

from drr.agents.architecture import BUILT_IN
from drr.agents.base import AnswerRecord, Event, Listener, ResearchRecord, ignore_event
from drr.app.calls import run_to_end
from drr.app.models.setup import model_error
from drr.app.study.outcome import check_cast
from drr.app.study.specs import agent_in
from drr.app.terminal import shown
from drr.app.users import user_in
from drr.env.errors import DrrError, Misuse, ProgramFailure, bug_of
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.source import Source
from drr.env.web.base import PageStatus
from drr.env.web.made_web import with_own_web
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.meter import UsageRow
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from drr.app.study.answers import AnswerWork
    from drr.app.study.study_plan import StudyPlan
    from drr.env.settings import Settings
    from drr.llm.meter import Meter


CEILING = 300_000
"""Most tokens for a question, unless the caller names another number."""


@dataclass(frozen=True)
class CitedAnswer:
    """A report and its record; `failure` says why it is no answer, though something was written."""

    report: str
    """A report by rules says so, whatever their policy wrote."""
    record: AnswerRecord
    shop_url: str = field(default="", repr=False)
    """The shop's address, where the report may give ids of products alone."""
    failure: DrrError | None = None

    @property
    def variant(self) -> str:
        return self.record.variant

    @property
    def model(self) -> str:
        """Return the name of the agent's model."""
        return self.record.models["agent"]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources that its tools returned."""
        return tuple(self.record.sources)

    @property
    def rule_written(self) -> bool:
        return self.record.rule_written

    @property
    def stop_reason(self) -> str:
        return self.record.stop_reason

    def document(self) -> AnswerDocument:
        """Return the form that `drr ask --json` prints."""
        from drr.citations.parse import canonical_url, parse

        record = self.record
        cited = {source.url for source in parse(self.report, self.shop_url).sources}
        return {
            "schema": 1,
            "report": self.report,
            "form": record.form,
            "sources": [
                {
                    "url": source.url,
                    "type": source.type,
                    "title": source.title,
                    "sha256": source.sha256,
                    "page_status": source.page_status,
                    "cited": canonical_url(source.url) in cited,
                }
                for source in record.sources
            ],
            "usage": record.usage,
            "stop_reason": record.stop_reason,
            "tool_calls": [
                {**call.model_dump(mode="json", exclude={"result"}), "ok": call.ok}
                for call in record.tool_calls
            ],
            "model": record.models["agent"],
            "models": record.models,
            "variant": record.variant,
            "version": record.version,
            "rule_written": record.rule_written,
            "words": record.words,
            "fabricated": [one.url for one in record.fabricated],
            "removed_citations": record.removed_citations,
            "failures": [failure.model_dump(mode="json") for failure in record.failures],
            "state_changes": [asdict(change) for change in record.state_changes],
            "notes": record.notes,
            "seconds": round(record.seconds, 3),
            "stderr": record.stderr,
        }


class Unfinished(DrrError):
    """A model or a command failed on the way; `answer` is what there is."""

    def __init__(self, message: str, answer: CitedAnswer) -> None:
        super().__init__(message)
        self.answer = answer


def check_question(question: str) -> None:
    if not question.strip():
        raise Misuse("the question is empty; give it in quotation marks")


def check_variant(name: str) -> None:
    """Raise `Misuse` for a word that does not name one variant, such as `all`, which only studies take."""
    from drr.agents.registry import variant

    variant(name)


def ask(
    question: str, user: str, plan: StudyPlan, settings: Settings, listener: Listener | None = None
) -> CitedAnswer:
    """Answer the question as the one unit of a study without a folder. Raise `DrrError` if nothing was written.

    The research may take half of the plan's tokens, unless its limits name another number.
    """
    from drr.app.study.answers import open_answering
    from drr.llm.budget import Limit
    from drr.llm.meter import Meter

    check_question(question)
    tokens = plan.budget_tokens or CEILING
    limit = Limit.of(usd=plan.budget, tokens=tokens)
    plan = plan.model_copy(update={"limits": {"tokens": tokens // 2, **plan.limits}})
    settings = with_own_web(settings, plan.shop)
    with open_answering(plan, settings, variants=[plan.variants or ""]) as answering:
        _check(answering)
        shop = answering.realm.shop
        user = user if shop is None else user_in(shop, user)
        spec = answering.specs([Query(query=question.strip(), user_id=user)])[0]
        meter, gathered, started = Meter(), list[ResearchRecord](), time.monotonic()

        async def go() -> AnswerRecord:
            models = answering.models.unit(meter, cap=limit)
            try:
                return await answering.answer(
                    spec, models, meter, listener=listener, on_failure=gathered.append
                )
            except (DrrError, ModelFailure, ModelSetupError):
                raise
            except Exception as bug:
                if answering.variants[agent_in(spec)].architecture.origin == BUILT_IN:
                    raise
                raise ProgramFailure("bug", f"the agent failed: {bug_of(bug)}") from bug
            finally:
                await answering.models.aclose()

        shop_url = settings.shop_url
        try:
            record = run_to_end(go())
        except ModelFailure as failure:
            explained = model_error(failure)
            for one in gathered:
                if isinstance(one, AnswerRecord):
                    return CitedAnswer(_report_with_banner(one), one, shop_url, explained)
            raise explained from failure
        except ProgramFailure as failure:
            for one in gathered:
                record = _record_of_failure(one, failure, answering, meter, time.monotonic() - started)
                return CitedAnswer("", record, shop_url, failure)
            raise
    return CitedAnswer(_report_with_banner(record), record, shop_url)


def _record_of_failure(
    one: ResearchRecord, failure: ProgramFailure, answering: AnswerWork, meter: Meter, seconds: float
) -> AnswerRecord:
    """Return the record of a program that failed: everything but a report."""
    return AnswerRecord(
        **dict(one),
        raw_report="",
        report="",
        words=0,
        citation_repair=answering.plan.citation_repair,
        stop_reason=failure.kind,
        usage=meter.as_json(),
        seconds=seconds,
    )


def _check(answering: AnswerWork) -> None:
    from drr.llm.budget import Limit

    plan = answering.plan
    if plan.budget is not None:
        check_cast(answering, Limit.of(usd=plan.budget))


def _report_with_banner(record: AnswerRecord) -> str:
    """Return the report. One that rules helped to write has a banner that says so, whatever their policy wrote."""
    from drr.offline.agents.source_list import BANNER

    report = record.report.rstrip("\n") + "\n"
    return f"{BANNER}\n\n{report}" if record.rule_written and BANNER not in report else report


class ShownSource(TypedDict):
    url: str
    type: str
    title: str | None
    sha256: str
    page_status: PageStatus | None
    cited: bool


class AnswerDocument(TypedDict):
    """The document of `drr ask --json`."""

    schema: int
    report: str
    form: str | None
    """The form block that was taken out of the report."""
    sources: list[ShownSource]
    usage: dict[str, UsageRow]
    stop_reason: str
    tool_calls: list[JsonObject]
    """Tool calls as `ToolCall` without the result, each with whether it succeeded."""
    model: str
    models: dict[str, str]
    variant: str
    version: str
    rule_written: bool
    words: int
    fabricated: list[str]
    removed_citations: list[str]
    failures: list[JsonObject]
    """Failures as `ResearcherFailure`."""
    state_changes: list[JsonObject]
    """Changes as `Change`."""
    notes: list[str]
    seconds: float
    stderr: str | None
    """Standard error of a command that answered."""


_VERBS = {"launch": "researches ", "page": "reads ", "result": "refused: "}


@contextmanager
def event_printer(quiet: bool) -> Iterator[Listener]:
    """Yield the listener that prints each event of a run; with `quiet` it prints nothing."""
    if quiet:
        yield ignore_event
    else:
        started = time.monotonic()

        def tell(event: Event) -> None:
            if (text := _line(event)) is not None:
                seconds = time.monotonic() - started
                print(f"{seconds:6.1f} s  {shown(text)}", file=sys.stderr, flush=True)

        yield tell


def _line(event: Event) -> str | None:
    if event.kind in ("turn", "ended"):
        return None
    text = " ".join(event.text.split())
    return excerpt(f"{event.actor}: {_VERBS.get(event.kind, '')}{text}", 200)

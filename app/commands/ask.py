"""`drr ask`: one question, one cited report, with what happens on the way on standard error."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord, Listener
    from drr.app.answers import AnswerConfig
    from drr.env.errors import DrrError
    from drr.env.json_object import JsonObject
    from drr.env.web.base import PageStatus
    from drr.llm.rows import UsageRow

CEILING = 300_000
_EXAMPLES = """\
A question may take 300,000 tokens: the research ends at half of that (--limits tokens=N), the rest is for the report.
Without --model the answer is written by rules (the `offline` model) and says so. Citations of addresses that no tool
returned are taken out of the report; --citation-repair off leaves them in.

examples:
  drr ask "Which quiet dog nail grinder under $40 suits a nervous puppy?" --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1
  drr ask "Which bird bath lasts?" --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --variant hybrid-react+ws --model anthropic:claude-sonnet-5-5 --out report.md
  drr ask "Which bird bath lasts?" --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --json
"""

_USUAL = (
    *("--shop", "--user", "--variant", "--model", "--base-url", "--out", "--budget", "--citation-repair"),
    *("--json", "--quiet"),
)
"""The options that people use; `--help-all` has the others."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import AGENT_SETTINGS
    from drr.app.options import add_command_terms, add_limits_option, positive_float, positive_int
    from drr.app.parsing import name_usual

    parser.epilog = _EXAMPLES
    name_usual(parser, *_USUAL)
    parser.add_argument("question", metavar="QUESTION", help="what is asked, in quotation marks")
    parser.add_argument("--shop", metavar="SHOP", required=True, help="a folder, or servers:NAME")
    parser.add_argument("--user", metavar="U", required=True, help="whose question it is")
    parser.add_argument(
        "--variant",
        metavar="NAME",
        default="react",
        help="a name of `drr variants`, file.py:function, 'cmd:COMMAND' or inspect:NAME (default: react)",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write the report there (default: standard output)"
    )
    parser.add_argument(
        "--citation-repair",
        choices=("off", "remove", "ask"),
        default="remove",
        help="what becomes of citations that no tool returned: left, taken out, or asked again (default: remove)",
    )
    parser.add_argument(
        "--references",
        action=argparse.BooleanOptionalAction,
        help="let Plan-to-Function use the results of earlier steps (default: yes; not under --profile paper)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_limits_option(parser)
    parser.add_argument(
        "--budget",
        type=positive_float,
        metavar="USD",
        help="most dollars that the question may cost (default: no limit)",
    )
    parser.add_argument(
        "--budget-tokens",
        type=positive_int,
        metavar="N",
        default=CEILING,
        help=f"most tokens that it may take (default {CEILING:,})",
    )
    add_command_terms(parser)
    add_setting_options(parser, *AGENT_SETTINGS)


def run(arguments: argparse.Namespace) -> int:
    from drr.agents.registry import variant
    from drr.app.answers import AnswerConfig
    from drr.app.console import print_json, settings_of
    from drr.app.options import command_terms, limits_of
    from drr.app.studies import say_paper
    from drr.app.watching import watched
    from drr.env.errors import Misuse

    if not arguments.question.strip():
        raise Misuse("the question is empty; give it in quotation marks")
    if arguments.out is not None and arguments.out.is_dir():
        raise Misuse(f"{arguments.out}: is a folder; give a file, e.g. {arguments.out / 'report.md'}")
    variant(arguments.variant)  # one, where studies take `all`
    settings = settings_of(arguments).settings
    say_paper(settings)
    config = AnswerConfig(
        settings,
        arguments.shop,
        (arguments.variant,),
        {
            "tokens": arguments.budget_tokens // 2,
            **(limits_of(arguments.limits) if arguments.limits else {}),
        },
        references=arguments.references,
        citation_repair=arguments.citation_repair,
        **command_terms(arguments),
    )
    with watched(arguments.quiet) as listener:
        record, failure = _answer(config, arguments, listener)
    report = marked(record)
    if arguments.json:
        print_json(document(record, report, settings.shop_url))
    elif arguments.out is None:
        sys.stdout.write(report)
    if arguments.out is not None:
        _write(arguments.out, report, shown=arguments.json)
    if not arguments.quiet:
        print(_summary(record, arguments.out), file=sys.stderr)
    if failure is not None:
        raise failure
    return 0


def _answer(
    config: AnswerConfig, arguments: argparse.Namespace, listener: Listener
) -> tuple[AnswerRecord, DrrError | None]:
    """The one unit of a study without a folder; beside what was written, why it is no answer."""
    import asyncio

    from drr.agents.base import AnswerRecord, Gathered
    from drr.app.answers import open_answering
    from drr.app.models import check_named, explain
    from drr.app.studies import check_cast
    from drr.env.errors import Misuse
    from drr.env.query import Query
    from drr.llm.budget import Limit
    from drr.llm.failures import ModelFailure
    from drr.llm.meter import Meter

    limit = Limit.of(usd=arguments.budget, tokens=arguments.budget_tokens)
    question, user = arguments.question.strip(), arguments.user
    with open_answering(config) as answering:
        check_named(answering, arguments.role_models)
        if arguments.budget is not None:
            check_cast(answering, Limit.of(usd=arguments.budget))
        shop = answering.realm.shop
        if shop is not None and shop.store.user(user) is None:
            raise Misuse(f"no user {user!r} in {config.shop}; `drr shop info` says how many there are")
        spec = answering.specs([Query(query=question, user_id=user)])[0]
        meter, gathered = Meter(), list[Gathered]()

        async def go() -> AnswerRecord:
            models = answering.models.unit(meter, cap=limit)
            try:
                return await answering.answer(
                    spec, models, meter, listener=listener, on_failure=gathered.append
                )
            finally:
                await answering.models.aclose()

        try:
            return asyncio.run(go()), None
        except ModelFailure as failure:
            explained = explain(failure)
            for one in gathered:
                if isinstance(one, AnswerRecord):
                    return one, explained
            raise explained from failure


def marked(record: AnswerRecord) -> str:
    """The report; one that rules had a hand in says so, whatever their policy wrote."""
    from drr.offline.agents.report import BANNER

    report = record.report.rstrip("\n") + "\n"
    return f"{BANNER}\n\n{report}" if record.rule_written and BANNER not in report else report


class ShownSource(TypedDict):
    url: str
    type: str
    title: str | None
    sha256: str
    page_status: PageStatus | None
    cited: bool


class Answered(TypedDict):
    """The document of `drr ask --json`."""

    schema: int
    report: str
    sources: list[ShownSource]
    usage: dict[str, UsageRow]
    stop_reason: str
    tool_calls: list[JsonObject]
    """As `ToolCall` without the result, and whether it went well."""
    model: str
    models: dict[str, str]
    variant: str
    version: str
    rule_written: bool
    words: int
    fabricated: list[str]
    removed_citations: list[str]
    failures: list[JsonObject]
    """As `ResearcherFailure`."""
    state_changes: list[JsonObject]
    """As `Change`."""
    notes: list[str]
    seconds: float
    stderr: str | None
    """Of a command: the end of what it wrote beside its report."""


def document(record: AnswerRecord, report: str, home: str = "") -> Answered:
    """`home` is the shop's address, where the report may give ids of products alone."""
    from drr.citations.parse import canonical_url, parse

    cited = {source.url for source in parse(report, home).sources}
    return {
        "schema": 1,
        "report": report,
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
            {**call.model_dump(mode="json", exclude={"result"}), "ok": call.ok} for call in record.tool_calls
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


def _write(path: Path, report: str, *, shown: bool) -> None:
    """A report that was paid for is never lost: one that cannot be written is printed."""
    from drr.env.errors import DrrError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(report, encoding="utf-8")
    except OSError as error:
        if not shown:
            sys.stdout.write(report)
        raise DrrError(
            f"{path}: cannot be written ({error.strerror}); the report is on standard output"
        ) from error


def _summary(record: AnswerRecord, out: Path | None) -> str:
    tokens = sum(role["input_tokens"] + role["output_tokens"] for role in record.usage.values())
    counted = not any(role["unmetered"] for role in record.usage.values())
    costs = [role["cost_usd"] for role in record.usage.values()]
    known = [cost for cost in costs if cost is not None]
    cost = "unknown" if len(known) < len(costs) else f"${sum(known):.4f}"
    calls = sum(1 for call in record.tool_calls if call.kind == "api")
    lines = [
        f"{record.variant} with {record.models['agent']}{' (rules, no LLM)' if record.rule_written else ''}:"
        f" {record.words:,} words, {calls} tool calls, {f'{tokens:,}' if counted else 'unknown'} tokens, cost {cost}, {record.seconds:.1f} s;"
        f" ended as {record.stop_reason.replace('_', ' ')}"
    ]
    lines += [f"researcher {f.researcher} failed ({f.kind}): {f.message}" for f in record.failures]
    if record.fabricated:
        kept = "taken out" if record.removed_citations else "left in"
        lines.append(
            f"cited but returned by no tool, {kept}: {', '.join(one.url for one in record.fabricated)}"
        )
    lines += record.notes
    if out is not None:
        lines.append(f"written to {out}")
    return "\n".join(lines)

"""`drr ask`: one question, one cited report, with what happens on the way on standard error."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord, Event, Listener
    from drr.env.settings import Settings

_SETTINGS = (
    "model_agent",
    "model_summariser",
    "prompts",
    "web",
    "sandbox",
    "web_record",
    "web_top_k",
    "page_reader",
    "shop_url",
)
_EXAMPLES = """\
Without --model the answer is written by rules (the `offline` model) and says so. Citations of addresses that no tool
returned are taken out of the report; --citation-repair off leaves them in.

examples:
  drr ask "Which quiet dog nail grinder under $40 suits a nervous puppy?" --shop demo/shop --user U
  drr ask "..." --shop demo/shop --user U --variant hybrid-react+ws --model anthropic:claude-sonnet-5-5 --out report.md
  drr ask "..." --shop demo/shop --user U --json
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS

    parser.epilog = _EXAMPLES
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument("--shop", metavar="SHOP", required=True, help="a folder, or servers:NAME")
    parser.add_argument("--user", metavar="U", required=True, help="whose question it is")
    parser.add_argument(
        "--variant", metavar="NAME", default="react", help="see `drr variants` (default react)"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the report there")
    parser.add_argument(
        "--citation-repair", choices=("off", "remove", "ask"), default="remove", help="default remove"
    )
    parser.add_argument(
        "--references", action=argparse.BooleanOptionalAction, help="Plan-to-Function may use earlier results"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    add_setting_options(parser, *SETTINGS, *_SETTINGS)


def run(arguments: argparse.Namespace) -> int:
    from drr.agents.registry import variant
    from drr.app.console import print_json, settings_of
    from drr.env.errors import Misuse

    if not arguments.question.strip():
        raise Misuse("the question is empty; give it in quotation marks")
    chosen = variant(arguments.variant)
    if arguments.out is not None and arguments.out.is_dir():
        raise Misuse(f"{arguments.out}: is a folder; give a file, e.g. {arguments.out / 'report.md'}")
    settings = settings_of(arguments).settings
    if settings.profile == "paper":
        print(
            f"drr: profile paper: the paper's models cannot be called any more, this is {settings.model_for('agent')};"
            " docs/paper-profile.md says which other choices are guesses",
            file=sys.stderr,
        )
    with _watch(arguments.quiet) as listener:
        record = _answer(arguments, settings, chosen, listener)
    report = marked(record)
    if arguments.json:
        print_json(document(record, report))
    elif arguments.out is None:
        sys.stdout.write(report)
    if arguments.out is not None:
        _write(arguments.out, report, shown=arguments.json)
    if not arguments.quiet:
        print(_summary(record, arguments.out), file=sys.stderr)
    return 0


def _answer(
    arguments: argparse.Namespace, settings: Settings, variant: Any, listener: Listener
) -> AnswerRecord:
    import asyncio

    from drr.agents.runner import run_variant
    from drr.app.answers import options_of, roles_of
    from drr.app.models import explain, models_of
    from drr.app.prompts import prompts_of
    from drr.env.errors import Misuse
    from drr.env.session import Session
    from drr.env.shop import open_shop
    from drr.env.web.open import open_web
    from drr.llm.failures import ModelFailure, ModelSetupError
    from drr.llm.meter import Meter
    from drr.offline.agents import policies as offline

    prompts = prompts_of(settings, "agents")
    try:
        models = models_of(settings)
        meter = Meter()
        own = models.unit(meter)
        policies = {"agent": offline.agent_policy, "summariser": offline.summariser_policy}
        roles = {role: own.role(role, policies[role]) for role in roles_of([variant])}
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    options = options_of(
        settings, {"citation_repair": arguments.citation_repair, "references": arguments.references}
    )

    with open_shop(arguments.shop, settings) as shop:
        if shop.store.user(arguments.user) is None:
            raise Misuse(
                f"no user {arguments.user!r} in {arguments.shop}; `drr shop info` says how many there are"
            )
        web = open_web(settings, shop=shop)

        async def go() -> AnswerRecord:
            try:
                return await run_variant(
                    variant,
                    arguments.question.strip(),
                    session=Session(shop, arguments.user),
                    web=web,
                    agent=roles["agent"],
                    summariser=roles.get("summariser", roles["agent"]),
                    meter=meter,
                    prompts=prompts,
                    options=options,
                    listener=listener,
                )
            finally:
                await models.aclose()

        try:
            return asyncio.run(go())
        except ModelFailure as failure:
            raise explain(failure) from failure


def marked(record: AnswerRecord) -> str:
    """The report; one that rules had a hand in says so, whatever their policy wrote."""
    from drr.offline.agents.report import BANNER

    report = record.report.rstrip("\n") + "\n"
    return f"{BANNER}\n\n{report}" if record.rule_written and BANNER not in report else report


def document(record: AnswerRecord, report: str) -> dict[str, Any]:
    """The face of `drr ask --json`."""
    from drr.citations.parse import canonical_url, parse

    cited = {source.url for source in parse(report).sources}
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
        "state_changes": record.state_changes,
        "notes": record.notes,
        "seconds": round(record.seconds, 3),
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
    costs = [role["cost_usd"] for role in record.usage.values()]
    cost = "unknown" if None in costs else f"${sum(costs):.4f}"
    calls = sum(1 for call in record.tool_calls if call.kind == "api")
    lines = [
        f"{record.variant} with {record.models['agent']}{' (rules, no LLM)' if record.rule_written else ''}:"
        f" {record.words:,} words, {calls} tool calls, {tokens:,} tokens, cost {cost}, {record.seconds:.1f} s;"
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


@contextmanager
def _watch(quiet: bool) -> Iterator[Listener]:
    """A moving line on a terminal, plain lines when piped."""
    from drr.agents.base import nobody

    if quiet:
        yield nobody
        return
    started = time.monotonic()

    def line(event: Event) -> str | None:
        if event.kind == "turn":
            return None
        said = " ".join(event.text.split())
        return f"{event.actor}: {_VERBS.get(event.kind, '')}{said}"[:200]

    if sys.stderr.isatty():
        from rich.console import Console
        from rich.markup import escape

        console = Console(stderr=True)
        calls = 0
        with console.status("starting") as status:

            def show(event: Event) -> None:
                nonlocal calls
                calls += event.kind == "call"
                if (text := line(event)) is not None:
                    console.print(
                        escape(text), style="dim", highlight=False, no_wrap=True, overflow="ellipsis"
                    )
                    status.update(f"{time.monotonic() - started:.0f} s, {calls} tool calls")

            yield show
        return

    def tell(event: Event) -> None:
        if (text := line(event)) is not None:
            print(f"{time.monotonic() - started:6.1f} s  {text}", file=sys.stderr, flush=True)

    yield tell


_VERBS = {"launch": "researches ", "page": "reads ", "result": "refused: "}

"""`drr judges check`: the citations of one report and seventeen rules about it. No model, unless `--judge` names one to read it too."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_setting_options, print_json, progress_of, settings_of
from drr.app.models import SETTINGS
from drr.app.terminal import flowed
from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.app.proofreading import Proofread
    from drr.citations.parse import Citations
    from drr.env.query import Constraints
    from drr.env.settings import Settings
    from drr.eval.checks import Check, Subject
    from drr.eval.tasks.mistakes.finding import MistakesResult

_MARKS = {"pass": "ok", "fail": "FAIL", "unverifiable": "?"}
_LARGEST = 20_000_000
_SHOWN = 8
"""Findings of a rule that are printed."""


def build(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", metavar="REPORT.md", help="a report in Markdown (- reads standard input)")
    parser.add_argument("--shop", help="the shop whose products and orders it speaks of")
    parser.add_argument("--user", help="the user it was written for")
    question = parser.add_mutually_exclusive_group()
    question.add_argument("--query", metavar="TEXT", help="the question it answers; budgets are read from it")
    question.add_argument(
        "--budget", type=float, metavar="DOLLARS", help="the most that the plan may cost in all"
    )
    parser.add_argument(
        "--shop-url", dest="shop_urls", action="append", default=[], metavar="URL",
        help="an address that counts as the shop, such as http://ecommerce.com (repeatable; default: the setting shop_url)",
    )  # fmt: skip
    parser.add_argument("--bar", help=argparse.SUPPRESS)
    parser.add_argument(
        "--judge", dest="model_judge", metavar="MODEL",
        help="a model that reads the report too, against the shop's records: about two calls; e.g. anthropic:claude-sonnet-5-5",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="no progress of a judge")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_setting_options(parser, *SETTINGS, "prompts")
    parser.epilog = (
        "Rules decide on literal things and structured places: addresses, ids, table rows, list items, labels, totals. Each passes, fails\n"
        "or cannot tell, and says why in one word. Exit code 1 if one fails. Running text is left to a judge (--judge): it names what is\n"
        "wrong, then weighs each charge; a mistake exits 1, and so does a statement that it leaves out.\n\n"
        'examples:\n  drr judges check report.md --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --query "a bird sanctuary under $300"\n'
        "  drr judges check report.md --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --judge anthropic:claude-sonnet-5-5"
    )


def run(arguments: argparse.Namespace) -> int:
    report = _read(arguments.report)
    if arguments.budget is not None and not 0 <= arguments.budget < float("inf"):
        raise Misuse("--budget: give an amount of dollars, such as 300")
    if arguments.bar is not None:
        raise Misuse(
            "--bar: rules say only what is certain, so there is no bar to set; leave it out, or add --judge MODEL"
        )
    from drr.env.memory import collector_off

    with collector_off():  # a report of a megabyte is half a million small objects without a cycle
        return _check(arguments, report)


def _check(arguments: argparse.Namespace, report: str) -> int:
    from drr.eval.checks import check_report, document

    settings = settings_of(arguments).settings
    arguments.shop_urls = arguments.shop_urls or [settings.shop_url]
    if arguments.shop is None:
        if arguments.user is not None:
            raise Misuse("--user: a user lives in a shop; give --shop too")
        if arguments.model_judge is not None:
            raise Misuse("--judge: it reads the report against the records of a shop; give --shop too")
        return _show(arguments, _subject(arguments, report), check_report, document)
    from drr.env.shop import open_shop

    with open_shop(arguments.shop, settings) as shop:
        if arguments.user is not None and shop.store.user(arguments.user) is None:
            raise Misuse(f"{arguments.shop}: no user {arguments.user!r}; `drr shop users` names some")
        subject = _subject(arguments, report)
        subject.shop = shop
        read = None if arguments.model_judge is None else _read_by_judge(subject, settings, arguments)
        return _show(arguments, subject, check_report, document, read)


def _read_by_judge(subject: Subject, settings: Settings, arguments: argparse.Namespace) -> Proofread:
    from drr.app.proofreading import proofread

    return proofread(subject, settings, progress_of(arguments))


def _subject(arguments: argparse.Namespace, report: str) -> Subject:
    from drr.eval.checks import Subject

    return Subject(
        report,
        query=arguments.query,
        constraints=_constraints(arguments.budget),
        user_id=arguments.user,
        shop_urls=tuple(arguments.shop_urls),
    )


def _constraints(budget: float | None) -> Constraints | None:
    if budget is None:
        return None
    from drr.env.query import Constraints

    return Constraints(total_max=budget)


def _read(name: str) -> str:
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


def _show(  # type: ignore[no-untyped-def]
    arguments: argparse.Namespace, subject: Subject, check_report, document, read: Proofread | None = None
) -> int:
    checks: dict[str, Check] = check_report(subject)
    failed = any(check.status == "fail" for check in checks.values())
    failed |= read is not None and not _is_clear(read["found"])
    if arguments.json:
        shown = {"schema": 1, "citations": subject.citations.document(), "rules": document(checks)}
        print_json(shown if read is None else {**shown, "reading": read})
        return int(failed)
    _print_citations(subject.citations)
    print()
    width = max(map(len, checks))
    for name, check in checks.items():
        print(flowed(f"{_MARKS[check.status]:>4}  {name:<{width}}  {_summary(name, check)}", width + 4))
        for one in check.findings[:_SHOWN]:
            told = f"line {_line(subject.report, one.span[0])}: {_printable(one.why)}"
            print(flowed(f"      {'':<{width}}  {told}", 2))
        if len(check.findings) > _SHOWN:
            print(f"      {'':<{width}}  and {len(check.findings) - _SHOWN} more (--json has all)")
    counts = Counter(check.status for check in checks.values())
    print(f"\n{counts['pass']} pass, {counts['fail']} fail, {counts['unverifiable']} unverifiable")
    if read is not None:
        _print_reading(subject, read)
    return int(failed)


def _is_clear(found: MistakesResult) -> bool:
    """Without a mistake, and all of it was looked at."""
    return not (found["mistakes"] or found["unread"] or found["unweighed"] or found["unshown"])


def _print_reading(subject: Subject, read: Proofread) -> None:
    found = read["found"]
    print(
        f"\n{read['judge']}: {len(found['mistakes'])} mistakes in {found['statements']} statements;"
        f" {len(found['acquitted'])} more were charged and are none in its second reading"
    )
    for unknown, name in (
        (found["unread"], "statements without a verdict"),
        (found["unweighed"], "charges without a verdict"),
        (found["unshown"], "products that were too many to be shown"),
    ):
        if unknown:
            print(f"{unknown} {name}: nothing is known of these")
    for row in found["mistakes"]:
        instead = f" (instead: {_printable(row['instead'])})" if "instead" in row else ""
        line = _line(subject.report, row["start"])
        print(flowed(f"  line {line}: {_printable(row['words'])}{instead}", 6))
        print(flowed(f"      {_printable(row['why'])}", 6))


def _print_citations(citations: Citations) -> None:
    print(
        f"{len(citations.sources)} sources, {citations.inline_count} citations in the text"
        f" ({citations.resolvable_count} lead to a source), {len(citations.references)} entries in lists"
    )
    kinds = Counter(defect.kind for defect in citations.defects)
    if kinds:
        print("defects: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


def _summary(name: str, check: Check) -> str:
    from drr.eval.checks import value_told

    if check.status == "unverifiable":
        return check.remarks[0] if check.remarks else ""
    return _printable(value_told(name, check.value))


def _printable(text: str) -> str:
    from drr.wording.excerpt import excerpt

    return excerpt("".join(character if character.isprintable() else " " for character in text), 200)


def _line(report: str, position: int) -> int:
    return report.count("\n", 0, position) + 1

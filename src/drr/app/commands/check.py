"""The command `drr judges check`: the citations of one report and the rules about it. No model takes part, unless `--judge` names one that reads the report too."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from drr.app.console import add_setting_options, print_document, progress_of, settings_of
from drr.app.judge.check import CheckConfig, Findings, Proofread, check, read_report
from drr.app.models.setup import SETTINGS
from drr.app.terminal import flowed
from drr.eval.checks import value_text
from drr.eval.checks.reading import reading_text
from drr.wording.excerpt import excerpt

_MARKS = {"pass": "ok", "fail": "FAIL", "remark": "note", "unverifiable": "?"}
_SHOWN = 8
"""Most findings of a rule that are printed."""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("report", metavar="REPORT.md", help="a report in Markdown (- reads standard input)")
    add("--shop", help="the shop whose products and orders it speaks of")
    add("--user", help="the user it was written for")
    add("--query", metavar="TEXT", help="the question it answers; the limit of its plan is read from it")
    add(
        "--budget", type=float, metavar="AMOUNT",
        help="the most that the plan may cost in all, in place of what the question says",
    )  # fmt: skip
    add(
        "--shop-url", dest="shop_urls", action="append", default=[], metavar="URL",
        help="an address that counts as the shop, such as http://ecommerce.com (repeatable; default: the setting shop_url)",
    )  # fmt: skip
    add(
        "--judge", dest="model_judge", metavar="MODEL",
        help="a model that reads the report too, against the shop's records: about two calls; e.g. anthropic:claude-sonnet-5-5",
    )  # fmt: skip
    add("--quiet", action="store_true", help="no progress of a judge")
    add("--json", action="store_true", help="print one JSON document")
    add_setting_options(parser, *SETTINGS, "judge_window", "prompts", "language")
    parser.epilog = (
        "Rules decide on literal things and structured places: addresses, ids, table rows, list items, labels, totals. Each passes, fails\n"
        "or cannot tell, and says why in one word. Exit code 1 if one fails. With --judge a model reads the running text, too: it names\n"
        "what is wrong, then weighs each charge. A mistake exits 1, and so does a statement that it leaves out.\n\n"
        'examples:\n  drr judges check report.md --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --query "a bird bath for at most 300 dollars"\n'
        "  drr judges check report.md --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --judge anthropic:claude-sonnet-5-5"
    )


def run(arguments: argparse.Namespace) -> int:
    report = read_report(arguments.report)
    config = CheckConfig(
        report,
        settings_of(arguments).settings,
        arguments.shop,
        arguments.user,
        arguments.query,
        arguments.budget,
        tuple(arguments.shop_urls),
        judged=arguments.model_judge is not None,
    )
    findings = check(config, progress_of(arguments))
    print_document(arguments, findings.document(), *_lines(report, findings))
    return int(findings.failed)


def _lines(report: str, findings: Findings) -> Iterator[str]:
    checks, citations = findings.rules, findings.citations
    cited = (
        f"cited {citations.inline_count} times in the text ({citations.resolvable_count} lead to a source)"
    )
    yield f"{len(citations.sources)} sources, {cited}, {len(citations.references)} entries in lists"
    kinds = Counter(defect.kind for defect in citations.defects)
    if kinds:
        yield "defects: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    yield ""
    width = max(map(len, checks))
    for name, found in checks.items():
        why = next(iter(found.remarks), "")
        why = why.replace("_", " ") if name == "budget" else why
        result = _printable(value_text(name, found.value, findings.currency))
        if found.status == "unverifiable":
            result = (
                f"{why}; limit read{result.partition('limit read')[2]}" if "limit read" in result else why
            )
        yield flowed(f"{_MARKS[found.status]:>4}  {name:<{width}}  {result}", width + 4)
        for one in found.findings[:_SHOWN]:
            finding = f"line {_line(report, one.span[0])}: {_printable(one.why)}"
            yield flowed(f"      {'':<{width}}  {finding}", 2)
        if len(found.findings) > _SHOWN:
            yield f"      {'':<{width}}  and {len(found.findings) - _SHOWN} more (--json has all)"
    by_status = Counter(found.status for found in checks.values())
    counts = ", ".join(f"{by_status[one]} {one}" for one in ("pass", "fail", "remark", "unverifiable"))
    yield f"\n{counts}; {reading_text(findings.figures)}"
    if findings.reading is not None:
        yield from _reading_lines(report, findings.reading)


def _reading_lines(report: str, read: Proofread) -> Iterator[str]:
    found = read["found"]
    mistakes = f"{read['judge']}: {len(found['mistakes'])} mistakes in {found['statements']} statements"
    yield f"\n{mistakes}; {len(found['acquitted'])} more were weighed in a second reading and are none"
    for unknown, name in (
        (found["unread"], "statements without a verdict"),
        (found["unweighed"], "charges without a verdict"),
        (len(found.get("open", ())), "charges of which the second reading could not tell"),
        (found["unshown"], "products that were too many to be shown"),
    ):
        if unknown:
            yield f"{unknown} {name}: nothing is known of these"
    for row in found["mistakes"]:
        instead = f" (instead: {_printable(row['instead'])})" if "instead" in row else ""
        line = _line(report, row["start"])
        yield flowed(f"  line {line}: {_printable(row['words'])}{instead}", 6)
        yield flowed(f"      {_printable(row['why'])}", 6)


def _printable(text: str) -> str:
    return excerpt("".join(character if character.isprintable() else " " for character in text), 200)


def _line(report: str, position: int) -> int:
    return report.count("\n", 0, position) + 1

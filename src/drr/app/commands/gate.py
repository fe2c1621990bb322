"""The command `drr study gate`: a check that a study is good enough for a build. The result is a table, a JUnit file and the exit code."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from drr.agents.commands.command import recorded_name
from drr.app.console import print_json, write_text
from drr.app.study.outcome import without_lost_answers
from drr.app.terminal import Column, plain, table, verdict, with_interval, wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.question_fields import FIELD_NAMES

if TYPE_CHECKING:
    from drr.eval.metrics.gate import Base, GateRow
    from drr.eval.metrics.rows import GroupDocument, StandingRow
    from drr.eval.tasks.judgements import Judged
    from drr.study.study import Study


_EXAMPLES = """\
A requirement holds where the worse end of the 95 % interval holds; an unknown figure fails. `rules.NAME` is the share of
answers that break the rule, where it can tell. `empty`, `no_research` and `malformed_call` are the shares of the
answers asked for that are none. Answers that are pending or failed are unknown, too. BASE is a variant of the study, or another
study with variants of the same names. Systems are compared question by question. A figure fails where the paired test of
`drr study compare` finds a loss (p < 0.05 after Holm).

examples:
  drr study gate study --require 'faithfulness>=0.8' --require 'rules.budget<=0.02'
  drr study gate study --require 'faithfulness>=0.95' --against react --junit gate.xml
  drr study gate study --require 'pass^4>=0.6'            # solved in each of four trials: docs/reliability.md
  drr study gate study --against ../my-base/study --json"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add(
        "--require",
        action="append",
        default=[],
        metavar="[VARIANT:]METRIC>=X",
        help="also <=, >, <; of every variant unless one is named (may be repeated)",
    )
    add(
        "--against",
        metavar="BASE",
        help="no metric required (or none of the headline ones) may be worse than here",
    )
    add(
        "--unanswered",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="of a variant's answers so many may be pending or failed (default 0)",
    )
    add("--judge", metavar="NAME", help="default: the last model that judged, else the rules")
    add("--by", metavar="FIELD", help=f"figures by {FIELD_NAMES}; fails nothing")
    add("--junit", type=Path, metavar="FILE", help="the checks as a JUnit file")
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="the exit code alone")


class GroupPart(TypedDict):
    """The part of the document on groups of questions."""

    by: NotRequired[GroupDocument]


class GateDocument(GroupPart):
    """The document that `drr study gate --json` prints."""

    schema: int
    study: str
    judge: str | None
    against: str | None
    holds: bool
    checks: list[GateRow]
    standing: StandingRow
    """The leader among all systems of the study."""
    notes: list[str]


def run(arguments: argparse.Namespace) -> int:
    from drr.app.report.standing import study_standings
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.eval.metrics.coverage import variants_of
    from drr.eval.metrics.gate import (
        compare_with_base,
        no_answers,
        required_metrics,
        required_rows,
        requirement,
        unanswered,
    )
    from drr.study.study import Study

    if not arguments.require and arguments.against is None:
        raise Misuse(
            "say what must hold: --require 'faithfulness>=0.8', or --against a variant or another study"
        )
    if not 0 <= arguments.unanswered <= 1:
        raise Misuse(f"--unanswered {arguments.unanswered}: give a share from 0 to 1")
    requirements = [requirement(text) for text in arguments.require]
    with Study.read(arguments.study) as study:
        judged = without_lost_answers(
            study, lambda: read_judged(study, choose_judging(study, arguments.judge))
        )
        variants_there, row = variants_of(judged), study_standings(study, judged).row
        tallies = study.ledger.units.answer_tallies()
        asked = [tally.variant for tally in tallies]
        requirements = [
            one if one.variant is None else replace(one, variant=recorded_name(one.variant, asked))
            for one in requirements
        ]
        base_name = None if arguments.against is None else recorded_name(arguments.against, variants_there)
        rows = unanswered(tallies, requirements, arguments.unanswered, base_name)
        rows += [*no_answers(tallies, requirements), *required_rows(judged, requirements)]
        notes, by = list(_notes(judged, study)), _groups(judged, arguments.by)
        if base_name is not None:
            with _base(arguments.study, judged, base_name, arguments.judge) as base:
                rows += compare_with_base(judged, base, required_metrics(requirements))
                notes += _other_differences(judged, base)
    if not rows:
        raise Misuse(f"{arguments.study}: nothing to check: it has no answer, or only those of the base")
    document: GateDocument = {
        "schema": 1,
        "study": str(arguments.study),
        "judge": judged.judging.judge if judged.judging else None,
        "against": base_name,
        "holds": all(row["holds"] for row in rows),
        "checks": rows,
        "standing": row.document(),
        "notes": notes,
        **by,
    }
    if arguments.junit is not None:
        _write_junit(arguments.junit, document)
    if arguments.json:
        print_json(document)
    elif not arguments.quiet:
        _print(document)
    return 0 if document["holds"] else 1


def _groups(judged: Judged, field: str | None) -> GroupPart:
    from drr.app.report.by_field import by_field
    from drr.eval.metrics.compare import ValueTable

    return {} if field is None else {"by": by_field(ValueTable(judged), field)}


@contextmanager
def _base(folder: Path, judged: Judged, name: str, judge: str | None) -> Iterator[Base]:
    from drr.app.study.frozen_sets import check_same_set
    from drr.eval.judging.read import choose_judging, read_judged
    from drr.eval.metrics.coverage import variants_of
    from drr.eval.metrics.gate import Base
    from drr.study.study import Study

    variants = variants_of(judged)
    if name in variants:
        yield Base(name, judged, name)
        return
    if not Path(name).is_dir():
        raise Misuse(
            f"--against {name}: neither a variant of {folder} ({', '.join(variants) or 'it has none'}) nor another study"
        )
    with Study.read(folder) as ours, Study.read(Path(name)) as study:
        sets = [one.config.get("run", {}).get("set") for one in (ours, study)]
        check_same_set(folder, sets[0], Path(name), sets[1])
        yield Base(name, read_judged(study, choose_judging(study, judge)))


def _notes(judged: Judged, study: Study) -> Iterator[str]:
    from drr.eval.metrics.coverage import coverage
    from drr.eval.metrics.document import banner

    yield from filter(None, [banner(judged)])
    yield from (f"The judging is incomplete: {why}" for why in coverage(judged)["invalid_because"])
    yield from (f"{loss.label} lacks texts and is left out" for loss in study.losses.values())


def _other_differences(judged: Judged, base: Base) -> list[str]:
    """Return notes on differences between two studies besides their questions: another shop, another judge."""
    from drr.eval.metrics.document import provenance

    if base.variant is not None:
        return []
    notes = []
    here, there = provenance(judged), provenance(base.judged)
    if here["shop"] != there["shop"]:
        notes.append(f"The shop of {base.name} is another one.")
    judges = [one.judging.judge if one.judging else "nobody" for one in (judged, base.judged)]
    if judges[0] != judges[1]:
        notes.append(f"{base.name} was judged by {judges[1]}, this study by {judges[0]}.")
    return notes


def _print(document: GateDocument) -> None:
    from drr.eval.stats.intervals import drawn

    checks = document["checks"]
    for note in document["notes"]:
        print(wrapped_paragraph(note), file=sys.stderr)
    print(wrapped_paragraph(document["standing"]["text"]))
    head: list[str | Column] = ["", "variant", "check", "value", Column("n", rank=1)]
    rows = [
        [verdict(row["holds"]), row["variant"], _check(row), _figure(row), str(drawn(row["figure"]))]
        for row in checks
    ]
    if document["against"] is not None:
        print(wrapped_paragraph(f"Δ: the difference from {document['against']}, question by question."))
    print(table(head, rows))
    reasons: dict[str, list[str]] = {}
    for row in checks:
        if row["why"] is not None and (row["against"] is not None or row["why"].startswith("unknown")):
            reasons.setdefault(row["why"], []).append(f"{row['variant']} {_check(row)}")
    for why, which in reasons.items():
        print(wrapped_paragraph(f"{why}: {', '.join(which)}"))
    if any(row["figure"]["ci_low"] is not None for row in checks):
        note = (
            "A figure is held by the worse end of its 95 % interval; a Δ fails only where it is surely worse."
        )
        print(wrapped_paragraph(note))
    if "by" in document:
        from drr.app.report.by_field import by_field_text

        print(f"\n{by_field_text(document['by'])}")
    failed = sum(not row["holds"] for row in checks)
    print(f"\n{failed} of {len(checks)} checks fail" if failed else f"\nall {len(checks)} checks hold")


def _check(row: GateRow) -> str:
    from drr.eval.metrics import shown_name

    metric = row["metric"]
    if metric is None:
        return row["check"]
    shown = shown_name(metric)
    return row["check"].replace(metric, shown, 1) if row["against"] is None else f"Δ {shown}"


def _figure(row: GateRow) -> str:
    """Return a figure as text without the number of questions, which has its own column."""
    figure = row["figure"]
    digits = 3 if figure["value"] is None or abs(figure["value"]) < 10 else 0
    return with_interval({**figure, "n_unscored": 0}, digits, usual=figure["n"])


def _write_junit(path: Path, document: GateDocument) -> None:
    from drr.eval.stats.intervals import drawn

    notes = " ".join(document["notes"])
    cases = [
        JunitCase(
            row["variant"],
            row["check"],
            row["why"],
            f"{_figure(row)} n={drawn(row['figure'])}. {notes}".strip(),
        )
        for row in document["checks"]
    ]
    write_text(path, junit(f"drr study gate {document['study']}", cases))


_NO_XML = re.compile("[\ufffe\uffff]")


class JunitCase(NamedTuple):
    group: str
    name: str
    failure: str | None
    """Failure in one line; `None` where the check holds."""
    detail: str = ""


def junit(suite: str, cases: Sequence[JunitCase]) -> str:
    failed = sum(case.failure is not None for case in cases)
    root = Element("testsuites")
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    suite_element = SubElement(root, "testsuite", {"name": _for_xml(suite), **counts})
    for case in cases:
        row = SubElement(
            suite_element, "testcase", {"classname": _for_xml(case.group), "name": _for_xml(case.name)}
        )
        if case.failure is not None:
            failure = SubElement(row, "failure", {"message": _for_xml(case.failure)})
            failure.text = _for_xml(case.detail)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _for_xml(text: str) -> str:
    """Return a stranger's text without characters that XML or a terminal cannot take."""
    return _NO_XML.sub("\ufffd", plain(text))

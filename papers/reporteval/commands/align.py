"""`drr judges align`: a judge brought near to experts, one prompt version after another, on a sealed split of labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import tell

if TYPE_CHECKING:
    from drr.papers.reporteval.aligning import VersionReading
    from drr.papers.reporteval.alignment.kept import JudgeAlignment

_EXAMPLES = """\
A label a line. quality {"id", "query", "answer", "dimension", "label": 0-4, "judge": who, "comment": why}, redundancy {"id", "query",
"passage_a", "passage_b", "label": 0-4, ...}, support {"id", "query", "claim", "evidence", "label": full/partial/none, ...}; rating and pairwise
as for `drr judges calibrate`. Dev and test are split by question, once. The dev half is read as often as you like, the test half once a version.

examples:
  drr judges align new study --labels experts.jsonl --task quality
  drr judges align run study --judge anthropic:claude-sonnet-5-5 --budget 5
  drr judges align edit study                                  # opens the next version; change the file, then run again
  drr judges align edit study --propose --judge anthropic:claude-sonnet-5-5
  drr judges align show study                                  # each labelled thing: judge, experts, the unit for `drr study trace`
  drr judges align compare study
  drr judges align run study --test                            # once for this version
  drr judge study --what reporteval --prompts study/align/quality/v3
"""
_TASKS = ("quality", "redundancy", "support", "rating", "pairwise")


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, line: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=line, description=line)
        made.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
        made.add_argument("--task", choices=_TASKS, help="which, where a study has several")
        made.add_argument("--json", action="store_true", help="one JSON document")
        return made

    _build_new(action("new", "splits the labels into dev and test by question and seals both"))
    _build_run(action("run", "judges the dev half by a version and shows how far it is from the experts"))
    action("status", "versions, split, how often test was read, and whether the loop has ended")
    compared = action("compare", "two versions on the dev half, paired, and what was changed in the prompt")
    compared.add_argument(
        "versions", nargs="*", type=_number, metavar="N", help="default: the last two that were run"
    )
    shown = action("show", "thing by thing what a reading on dev is made of, with the unit that judged it")
    shown.add_argument("--version", type=_number, metavar="N", help="default: the last one that was run")
    action("history", "every reading as a table, and the deviation as a curve")
    _build_edit(action("edit", "opens the next version of the prompt"))


def _number(text: str) -> int:
    """`3` and `v3`."""
    return int(text.removeprefix("v"))


def _build_new(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="what experts said, JSONL")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the split (default 0)")
    parser.add_argument(
        "--dev-share",
        type=float,
        default=0.5,
        metavar="S",
        help="of the questions that are dev (default 0.5)",
    )
    parser.add_argument(
        "--target",
        type=float,
        metavar="MAD",
        help="the deviation under which the loop ends (default: the paper's .72, .31, .29 for quality, redundancy, support)",
    )
    add_setting_options(parser, "prompts")


def _build_run(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.studies import add_run_options

    parser.add_argument("--judge", dest="model_judge", metavar="MODEL", help="who is aligned")
    parser.add_argument("--version", type=_number, metavar="N", help="default: the last one")
    parser.add_argument("--test", action="store_true", help="read the test half, once for each version")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="with --test: where the labels are now")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "shop_url")


def _build_edit(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options
    from drr.app.models import SETTINGS
    from drr.app.studies import add_run_options

    parser.add_argument(
        "--from", dest="source", type=Path, metavar="FILE", help="NAME.md: this text is the next version's"
    )
    parser.add_argument(
        "--propose",
        action="store_true",
        help="a model drafts it, from where the last version parts with the experts on dev",
    )
    parser.add_argument("--judge", dest="model_judge", metavar="MODEL", help="with --propose: who drafts")
    add_run_options(parser)
    add_setting_options(parser, *SETTINGS, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    if arguments.action == "new":
        return _new(arguments)
    from drr.papers.reporteval.alignment.kept import alignment_of, alignments

    with Study.open(arguments.study) as study:
        if arguments.action == "status" and arguments.task is None and len(alignments(study)) > 1:
            return _status(alignments(study), arguments)
        alignment = alignment_of(study, arguments.task)
        if arguments.action == "status":
            return _status([alignment], arguments)
        acts = {"run": _run, "edit": _edit, "compare": _compare, "show": _show, "history": _history}
        return acts[arguments.action](alignment, arguments)


def _new(arguments: argparse.Namespace) -> int:
    from drr.app.console import settings_of
    from drr.app.models import prompts_of
    from drr.env.errors import Misuse
    from drr.papers.reporteval.aligning import status_text
    from drr.papers.reporteval.alignment.kept import NewAlignment, items_to_split, new_alignment
    from drr.papers.reporteval.alignment.tasks import ALIGNED
    from drr.study.study import Study

    if arguments.task is None:
        raise Misuse(f"--task: say which is aligned, one of {', '.join(_TASKS)}")
    if not 0 < arguments.dev_share < 1:
        raise Misuse(f"--dev-share {arguments.dev_share:g}: is between 0 and 1")
    prompts = prompts_of(settings_of(arguments).settings, "eval")
    how = NewAlignment(seed=arguments.seed, dev_share=arguments.dev_share, target=arguments.target)
    folder = arguments.study
    if not Study.exists(folder):
        items_to_split(
            ALIGNED[arguments.task], arguments.labels
        )  # a study is made for labels that can be used
    opened = Study.open(folder) if Study.exists(folder) else Study.create(folder, {"schema": 1, "run": {}})
    with opened as study:
        made = new_alignment(study, ALIGNED[arguments.task], arguments.labels, how, prompts)
        tell(arguments, {**made.row()}, status_text(made))
    return 0


def _run(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.env.errors import Misuse
    from drr.papers.reporteval.aligning import AlignmentReader, reading_text

    if arguments.labels is not None and not arguments.test:
        raise Misuse("--labels: dev is kept with the study; say it with --test")
    version = alignment.version(arguments.version)
    alignment.check_unchanged(version)
    alignment.check_new(version)
    before = (
        [one for one in alignment.on_test() if one["version"] == version.number] if arguments.test else []
    )
    if before:
        return _read_before(alignment, before[0], arguments)
    reading, code = AlignmentReader(alignment, version, arguments).read(test=arguments.test)
    tell(arguments, _document(alignment, reading), reading_text(alignment, reading))
    return code


def _document(alignment: JudgeAlignment, reading: VersionReading) -> dict[str, object]:
    return {
        "task": alignment.task.name,
        "version": reading.run["version"],
        "hash": reading.run["hash"],
        "judge": reading.run["judge"],
        "half": reading.run["half"],
        "banner": reading.banner,
        "items": reading.run["items"],
        "complete": reading.complete,
        "figures": reading.run["figures"],
        "sides": reading.sides,
        "disagreements": reading.apart,
        "things": reading.things,
        "test_read": len(alignment.on_test()),
        "ended": alignment.ended,
    }


def _read_before(alignment: JudgeAlignment, run: object, arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.console import tell
    from drr.papers.reporteval.aligning import history_text

    notice = "the test half was read for this version already; here is what was found then, and nothing was read anew"
    print(f"drr: {notice}", file=sys.stderr)
    document = {"read_before": True, "run": run, "test_read": len(alignment.on_test())}
    tell(arguments, document, history_text(alignment))
    return 0


def _status(found: list[JudgeAlignment], arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.papers.reporteval.aligning import status_text

    for one in found:
        one.dev()
    tell(arguments, {"alignments": [one.row() for one in found]}, "\n\n".join(map(status_text, found)))
    return 0


def _history(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.papers.reporteval.aligning import history_text

    tell(arguments, {**alignment.row()}, history_text(alignment))
    return 0


def _show(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.env.errors import Misuse
    from drr.papers.reporteval.align_things import things_on_dev, things_text

    runs = alignment.on_dev()
    found = [run for run in runs if arguments.version in (None, run["version"])]
    if not found:
        which = "no version" if arguments.version is None else f"v{arguments.version}"
        verb = "was" if arguments.version is None else "was not"
        raise Misuse(
            f"show: {which} {verb} run on dev yet; `drr judges align run {alignment.study.folder}` does"
        )
    run = found[-1]
    things = things_on_dev(alignment, run)
    if not things:
        raise Misuse(f"show: the prompt of v{run['version']} was changed after it was run; put it back")
    named = {name: run[name] for name in ("version", "hash", "judge", "half")}
    tell(arguments, {"task": alignment.task.name, **named, "things": things}, things_text(run, things))
    return 0


def _compare(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.env.errors import Misuse
    from drr.papers.reporteval.align_things import comparison
    from drr.papers.reporteval.aligning import comparison_text

    numbers = arguments.versions or [run["version"] for run in alignment.on_dev()][-2:]
    if len(numbers) != 2:
        raise Misuse("compare: two versions that were run on dev are needed; `drr judges align run` runs one")
    document = comparison(alignment, numbers[0], numbers[1])
    tell(arguments, document, comparison_text(document))
    return 0


def _edit(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.app.console import tell
    from drr.env.errors import Misuse
    from drr.papers.reporteval.aligning import given_text, proposed

    if arguments.source is not None and arguments.propose:
        raise Misuse("--from and --propose: one of the two says what the next version is")
    if arguments.propose:
        texts, made_by = proposed(alignment, arguments)
    elif arguments.source is not None:
        texts, made_by = given_text(alignment, arguments.source), "a file"
    else:
        texts, made_by = {}, "by hand"
    version = alignment.open_next(texts, made_by)
    file = version.folder / f"{alignment.task.prompts[0]}.md"
    verb = "made of" if texts else "open: change"
    again = f"`drr judges align run {alignment.study.folder} --task {alignment.task.name}`"
    tell(
        arguments,
        {"version": version.number, "hash": version.hash, "folder": str(version.folder)},
        f"v{version.number} ({version.hash}) is {verb} {file}; then {again}",
    )
    return 0

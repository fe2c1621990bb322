"""The command `drr judges align`: aligns a judge with experts by versions of its prompt, on sealed halves of labels."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.errors import Misuse
from drr.plugin import add_setting_options, add_unit_options, print_result, settings_of

if TYPE_CHECKING:
    from drr.papers.reporteval.alignment.store import JudgeAlignment

_EXAMPLES = """\
A label a line. quality {"id", "query", "answer", "dimension", "label": 0-4, "judge": who, "comment": why}, redundancy {"id", "query",
"passage_a", "passage_b", "label": 0-4, ...}, support {"id", "query", "claim", "evidence", "label": full/partial/none, ...}; rating and pairwise
as for `drr judges calibrate`. Dev and test are split by question, once. The dev half is read as often as you like, the test half once a version.

examples:
  drr judges align new study --labels experts.jsonl --task quality
  drr judges align run study --judge anthropic:claude-sonnet-5-5 --budget 5
  drr judges align edit study                                  # opens the next version; change the file, then run again
  drr judges align show study                                  # each labelled thing: judge, experts, the unit for `drr study trace`
  drr judges align status study                                # every reading, how often test was read, whether it has ended
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

    new = action("new", "splits the labels into dev and test by question and seals both")
    new.add_argument("--labels", type=Path, required=True, metavar="FILE", help="what experts said, JSONL")
    new.add_argument("--seed", type=int, default=0, metavar="N", help="of the split (default 0)")
    text = "the deviation under which the loop ends (default: the paper's .72, .31, .29 for quality, redundancy, support)"
    new.add_argument("--target", type=float, metavar="MAD", help=text)
    add_setting_options(new, "prompts")
    judged = action("run", "judges the dev half by a version and shows how far it is from the experts")
    judged.add_argument("--judge", dest="model_judge", metavar="MODEL", help="who is aligned")
    judged.add_argument("--version", type=_number, metavar="N", help="default: the last one")
    judged.add_argument("--test", action="store_true", help="read the test half, once for each version")
    text = "with --test: where the labels are now"
    judged.add_argument("--labels", type=Path, metavar="FILE", help=text)
    add_unit_options(judged, "shop_url")
    action("status", "the split, every reading, how often test was read, and whether the loop has ended")
    shown = action("show", "thing by thing what a reading on dev is made of, with the unit that judged it")
    shown.add_argument("--version", type=_number, metavar="N", help="default: the last one that was run")
    action("edit", "opens the next version of the prompt: a folder of files to change")


def _number(text: str) -> int:
    """Return the number of a version given as `3` or `v3`."""
    return int(text.removeprefix("v"))


def run(arguments: argparse.Namespace) -> int:
    from drr.papers.reporteval.alignment.reading import status_text
    from drr.papers.reporteval.alignment.store import alignment_of, alignments
    from drr.study.study import Study

    if arguments.action == "new":
        return _begin_alignment(arguments)
    with Study.open(arguments.study) as study:
        if arguments.action == "status":
            every = arguments.task is None and len(alignments(study)) > 1
            found = alignments(study) if every else [alignment_of(study, arguments.task)]
            for one in found:
                one.dev()
            texts = "\n\n".join(map(status_text, found))
            print_result(arguments, {"alignments": [one.row() for one in found]}, texts)
            return 0
        acts = {"run": _run, "edit": _edit, "show": _show}
        return acts[arguments.action](alignment_of(study, arguments.task), arguments)


def _begin_alignment(arguments: argparse.Namespace) -> int:
    from drr.papers.reporteval.alignment.reading import status_text
    from drr.papers.reporteval.alignment.store import items_to_split, new_alignment
    from drr.papers.reporteval.alignment.tasks import ALIGNED
    from drr.plugin import prompts_of
    from drr.study.study import Study

    if arguments.task is None:
        raise Misuse(f"--task: say which is aligned, one of {', '.join(_TASKS)}")
    folder, task = arguments.study, ALIGNED[arguments.task]
    prompts = prompts_of(settings_of(arguments).settings, "eval")
    if not Study.exists(folder):
        items_to_split(task, arguments.labels)  # no study is created for unusable labels
    opened = Study.open(folder) if Study.exists(folder) else Study.create(folder, {"schema": 1, "run": {}})
    with opened as study:
        how = {"seed": arguments.seed, "target": arguments.target}
        made = new_alignment(study, task, arguments.labels, prompts, **how)
        print_result(arguments, {**made.row()}, status_text(made))
    return 0


def _run(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.papers.reporteval.alignment.figures import farthest_first, ten_largest_distances
    from drr.papers.reporteval.alignment.reading import read_half, reading_text, status_text

    if arguments.labels is not None and not arguments.test:
        raise Misuse("--labels: dev is kept with the study; say it with --test")
    version = alignment.version(arguments.version)
    alignment.check(version)
    before = [one for one in alignment.on_test() if one["version"] == version.number]
    if arguments.test and before:
        notice = "the test half was read for this version already; here is what was found then, and nothing was read anew"
        print(f"drr: {notice}", file=sys.stderr)
        document = {"read_before": True, "run": before[0], "test_read": len(alignment.on_test())}
        print_result(arguments, document, status_text(alignment))
        return 0
    reading, code = read_half(alignment, version, arguments)
    named = {name: reading.run[name] for name in ("version", "hash", "judge", "half")}
    document = {
        "task": alignment.task.name, **named, "banner": reading.banner, "items": reading.run["items"],
        "complete": reading.complete, "figures": reading.run["figures"], "sides": reading.sides,
        "disagreements": [one.disagreement() for one in ten_largest_distances(reading.rows)],
        "things": [one.row() for one in farthest_first(reading.rows)],
        "test_read": len(alignment.on_test()), "ended": alignment.ended,
    }  # fmt: skip
    print_result(arguments, document, reading_text(alignment, reading))
    return code


def _show(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    from drr.papers.reporteval.alignment.figures import farthest_first
    from drr.papers.reporteval.alignment.reading import kept_things, things_text

    found = [run for run in alignment.on_dev() if arguments.version in (None, run["version"])]
    if not found:
        which = "no version was" if arguments.version is None else f"v{arguments.version} was not"
        raise Misuse(f"show: {which} run on dev yet; `drr judges align run {alignment.study.folder}` does")
    run = found[-1]
    rows = farthest_first(kept_things(alignment, run))
    if not rows:
        raise Misuse(f"show: the prompt of v{run['version']} was changed after it was run; put it back")
    named = {name: run[name] for name in ("version", "hash", "judge", "half")}
    document = {"task": alignment.task.name, **named, "things": [one.row() for one in rows]}
    print_result(arguments, document, things_text(run, rows))
    return 0


def _edit(alignment: JudgeAlignment, arguments: argparse.Namespace) -> int:
    version = alignment.open_next()
    file = version.folder / f"{alignment.task.prompts[0]}.md"
    again = f"`drr judges align run {alignment.study.folder} --task {alignment.task.name}`"
    document = {"version": version.number, "hash": version.hash, "folder": str(version.folder)}
    print_result(
        arguments, document, f"v{version.number} ({version.hash}) is open: change {file}; then {again}"
    )
    return 0

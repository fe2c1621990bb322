"""`drr study export`: a study as JSONL and Parquet."""

from __future__ import annotations

import argparse
from pathlib import Path

_EXAMPLES = """\
Writes units, tool_calls, sources and usage, each as .jsonl and .parquet, in key order. With --format: reports and questions in the
files of another benchmark, to be judged there; what these have no room for is said.

examples:
  drr study export study --out tables
  drr study export study --out tables --canonical    # without wall-clock facts: equal studies give equal bytes
  drr study export study --out theirs --format drb       # of DeepResearch Bench, or of a paper
"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.env.plugins import examples_of
    from drr.eval.foreign.names import format_names

    parser.epilog = _EXAMPLES + examples_of("study export")
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder that is written")
    parser.add_argument("--canonical", action="store_true", help="leave out times, attempts and retries")
    parser.add_argument(
        "--format", metavar="NAME", help=f"whose files are written: {', '.join(format_names())}"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.studies import despite_losses
    from drr.env.errors import Misuse
    from drr.study.export import export
    from drr.study.study import Study

    out: Path = arguments.out
    if out.exists() and not out.is_dir():
        raise Misuse(f"{out}: a file; name a folder")
    if arguments.format is not None:
        return _run_foreign(arguments)
    with Study.read(arguments.study) as study:
        counts = despite_losses(study, lambda: export(study, out, canonical=arguments.canonical))
        lost = sorted(loss.label for loss in study.losses.values())
    if arguments.json:
        print_json(
            {"schema": 1, "out": str(out), "rows": counts, "canonical": arguments.canonical, "lost": lost}
        )
    else:
        print(f"{out}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}")
    return 0


def _run_foreign(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.app.foreign import export_foreign, say_exported
    from drr.app.studies import despite_losses
    from drr.env.errors import Misuse
    from drr.study.study import Study

    if arguments.canonical:
        raise Misuse("--canonical is for our own tables; files of others hold no times")
    with Study.read(arguments.study) as study:
        document = despite_losses(study, lambda: export_foreign(study, arguments.out, arguments.format))
    if arguments.json:
        print_json(document)
    else:
        say_exported(document)
    return 0

"""`drr study trace`: one unit of a study as a timeline."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.study.study import Study
    from drr.study.unit import Record

_EXAMPLES = """\
UNIT is the beginning of a unit's key, or its label (query/variant/trial); without it the units are listed.

examples:
  drr study trace study
  drr study trace study 3fa9
  drr study trace study q-5f2c6a0d7f3c1b9e/react+ws/0 --full
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument(
        "unit",
        metavar="UNIT",
        nargs="?",
        help="the beginning of a unit's key (default: all units are listed)",
    )
    parser.add_argument("--full", action="store_true", help="whole tool results and conversations")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app import timeline
    from drr.app.console import print_json
    from drr.study.study import Study

    with Study.read(arguments.study) as study:
        if arguments.unit is None:
            records = timeline.ended(study)
            if arguments.json:
                print_json(timeline.listed(records))
            else:
                print(timeline.listing(records))
            return 0
        record = _find(study, arguments.unit)
        if arguments.json:
            print_json(timeline.document(study, record))
        else:
            print(timeline.text(study, record, full=arguments.full))
    return 0


def _find(study: Study, wanted: str) -> Record:
    from drr.env.errors import DrrError, Misuse

    found = study.ledger.units.find(wanted)
    if not found:
        raise Misuse(f"{study.folder}: no unit {wanted!r}; `drr study trace {study.folder}` lists them")
    if len(found) > 1:
        some = ", ".join(f"{key[:12]} ({label})" for key, _, label in found[:4])
        raise Misuse(f"{study.folder}: {len(found)} units begin so: {some}; give more of the key")
    record = study.record(found[0][0])
    if record is None:
        raise DrrError(f"{study.folder}: {found[0][2]} has not ended yet; `drr study status {study.folder}`")
    return record

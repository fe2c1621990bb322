"""The choices of `drr judge` for persons and criteria, and their place in a study."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drr.app.options import positive_int
from drr.eval.tasks.desk import Desk
from drr.papers.pdr.judging.choices import KeptChoices, PqrChoices, check_tasks
from drr.papers.pdr.judging.kept import given_criteria
from drr.papers.pdr.person import read_persons
from drr.study.study import Study

EXAMPLES = (
    "  drr judge study --what criteria                               # what PQR will score by; drr papers criteria study shows it",
    "  drr judge study --what pqr --persons persons.jsonl            # personalization, quality, reliability (docs/persons.md)",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--persons",
        type=Path,
        metavar="FILE",
        help="for --what pqr: who asks, JSONL (default: made of the shop's records by rule); kept with the study",
    )
    parser.add_argument(
        "--rounds",
        type=positive_int,
        metavar="N",
        help="for --what pqr: each criterion is scored so many times (default 3); kept with the study",
    )
    parser.add_argument(
        "--seeds",
        type=positive_int,
        metavar="N",
        help="for --what pqr: so many sets of criteria for each task and person (default 1; 2 say how much criteria sway the figures);"
        " kept with the study",
    )
    parser.add_argument(
        "--at-once",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="for --what pqr: all dimensions in one call, as published (default: a call for each)",
    )


def chosen(
    study: Study, desk: Desk, arguments: argparse.Namespace, what: Sequence[str]
) -> Mapping[type, Any]:

    check_tasks(desk.questions)
    kept = KeptChoices(study)
    persons = kept.persons() if arguments.persons is None else read_persons(arguments.persons)
    rounds, seeds, at_once = kept.numbers()
    found = PqrChoices(
        persons,
        given_criteria(study),
        arguments.rounds or rounds,
        arguments.seeds or seeds,
        at_once if arguments.at_once is None else arguments.at_once,
    )
    return {PqrChoices: found}


def keep(study: Study, arguments: argparse.Namespace, chosen: Mapping[type, Any]) -> None:
    found: PqrChoices = chosen[PqrChoices]
    if arguments.persons is not None:
        KeptChoices(study).keep_persons(found.persons)
    if any(given is not None for given in (arguments.rounds, arguments.seeds, arguments.at_once)):
        KeptChoices(study).keep_numbers(found)

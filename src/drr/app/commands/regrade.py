"""The command `drr judges regrade`: computes the rewards of kept episodes anew by today's rules, without a run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TypedDict

from drr.app.console import print_result
from drr.app.notices import notice
from drr.app.terminal import Column, Row, number, plain, table, with_interval
from drr.app.training.from_study import StudyAnswers, answers_of
from drr.app.training.transcripts import EpisodeTranscript, read, write
from drr.env.errors import Misuse
from drr.env.query import Query, read_queries
from drr.eval.evidence.answers import asked_of
from drr.eval.metrics.base import Values
from drr.eval.metrics.reliability import PAID_TO_FAILURE
from drr.eval.metrics.rewards import mean_paid
from drr.eval.rewards.components import COMPONENTS
from drr.eval.stats.intervals import VRow
from drr.eval.stats.question import grouped
from drr.wording.excerpt import many

NAMES = tuple(one.name for one in COMPONENTS)
BESIDE = frozenset(one.name for one in COMPONENTS if one.role == "beside")
"""Components paid in the share that other components earned; they are shown only for answers that earned a reward."""


class PaidAgent(TypedDict):
    """The mean rewards of one agent over all of its episodes."""

    agent: str | None
    """Name of the agent: the variant, for answers of a study."""
    n: int
    failed: int
    """Number of answers that failed for good; their reward is 0."""
    forms: int
    """Number of answers with a form."""
    reward: VRow
    components: dict[str, VRow]


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = (
        'Environments write such files: drr.Environment(shop="shop", transcripts="episodes.jsonl").\n\n'
        "examples:\n  drr judges regrade episodes.jsonl\n  drr judges regrade episodes.jsonl --out episodes.parquet\n"
        "  drr judges regrade episodes.jsonl --queries mended.jsonl --out again.jsonl\n"
        "  drr judges regrade study --out answers.jsonl      # a study of checkable questions"
    )
    add("file", metavar="FILE.jsonl", type=Path, help="transcripts of episodes, or a study's folder")
    add("--queries", metavar="FILE.jsonl", type=Path, help="records that replace those of the same id")
    add("--out", metavar="FILE", type=Path, help="what is written: .jsonl, or .parquet")
    add("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    records = {one.id: one for one in read_queries(arguments.queries)} if arguments.queries else {}
    of_study = arguments.file.is_dir()
    study = answers_of(arguments.file, records) if of_study else StudyAnswers(read(arguments.file), [], {})
    before = study.answers
    if not before:
        raise Misuse(f"{arguments.file}: holds no episode")
    after = [one.regraded(records.get(one.query.id)) for one in before]
    if arguments.out is not None:
        write(arguments.out, after)
    changed = sum(old.reward != new.reward for old, new in zip(before, after, strict=True))
    means = [fmean(one.reward for one in rows) for rows in (before, after)]
    agents = [
        _paid(name, [one for one in after if (one.agent or "") == name], study.failed.get(name, ()))
        for name in sorted({*study.failed, *(one.agent or "" for one in after)})
    ]
    document = {"episodes": len(after), "changed": changed, "before": means[0], "after": means[1]}
    line = f"{many(len(after), 'episode')}, {changed} paid otherwise: mean reward {means[1]:.4f}, was {means[0]:.4f}"
    if of_study:
        line = f"{many(len(after), 'answer')} graded; one that failed counts 0 in reward and points. Citations are of those that earned anything."
    file = str(arguments.out) if arguments.out else None
    if unread := study.unread:
        notice(f"forms that cannot be read, and pay nothing: {len(unread):,}, e.g. {plain(unread[0])}")
    print_result(arguments, {**document, "agents": agents, "file": file}, _table(agents), "", line)
    return 0


def _paid(name: str, answers: Sequence[EpisodeTranscript], failed: Sequence[Query]) -> PaidAgent:
    rows: list[tuple[Query, Values]] = [(one, PAID_TO_FAILURE) for one in failed]
    for one in answers:
        shown = {part: one.components.get(part) for part in NAMES if one.reward > 0 or part not in BESIDE}
        rows.append((one.query, {**shown, "reward": one.reward}))
    paid = grouped((asked_of({"query_id": query.id}, query), values) for query, values in rows)
    return {
        "agent": name or None,
        "n": len(answers),
        "failed": len(failed),
        "forms": sum(one.form is not None for one in answers),
        "reward": mean_paid(paid, "reward").document(),
        "components": {part: mean_paid(paid, part).document() for part in NAMES},
    }


def _table(agents: Sequence[PaidAgent]) -> str:
    head = [Column("agent"), Column("answers"), Column("failed"), Column("forms"), Column("reward")]
    head += [Column(name, rank) for rank, name in enumerate(NAMES, 1)]
    rows: list[Row] = [
        [
            plain(row["agent"] or "-"),
            *(
                f"{row['n']:,}",
                f"{row['failed']:,}",
                f"{row['forms']:,}",
                with_interval(row["reward"], usual=row["n"]),
            ),
            *(number(part["value"]) for part in row["components"].values()),
        ]
        for row in agents
    ]
    return table(head, rows)

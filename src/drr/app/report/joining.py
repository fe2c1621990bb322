"""Opens two studies as one: of one shop, by one judge, joined by question and user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from drr.agents.commands.command import recorded_name
from drr.app.judge.desk import study_settings, study_shop
from drr.app.study.frozen_sets import check_same_set
from drr.env.errors import Misuse
from drr.eval.judging.read import choose_judging, has_figures
from drr.eval.metrics.joined import JoinedTable, StudySide, joined
from drr.eval.tasks.judgements import JudgingRun
from drr.study.study import Study
from drr.wording.excerpt import many


@contextmanager
def joined_tables(
    folders: tuple[Path, Path], named: tuple[str, str] | None, judge: str | None
) -> Iterator[tuple[Sequence[Study], list[JoinedTable]]]:
    """Open two studies and join the named variants, or without names every variant that both have.

    A named judge judges anew what it has not judged in the same way in both.
    """
    with Study.read(folders[0]) as here, Study.read(folders[1]) as there:
        _check_one_shop(here, there)
        known = judge is None or all(has_figures(one, judge) for one in (here, there))
        is_alike = known and not _judged_otherwise(*(choose_judging(one, judge) for one in (here, there)))
    if judge is not None and not is_alike:
        for folder in folders:
            _judge_anew(folder, judge)
    # Opened again, because judging may have written to both.
    with Study.read(folders[0]) as here, Study.read(folders[1]) as there:
        studies = (here, there)
        judgings = [choose_judging(one, judge) for one in studies]
        if differing := _judged_otherwise(*judgings):
            raise Misuse(
                f"{folders[0]} and {folders[1]} were judged differently ({'; '.join(differing)}); --judge NAME judges both alike"
            )
        for one in studies:
            one.look_for_losses()
        left, right = (StudySide.read(one, judging) for one, judging in zip(studies, judgings, strict=True))
        pairs = [_known(left, right, named)] if named else _shared(left, right)
        yield studies, [_joined(left, a, right, b) for a, b in pairs]


def _known(left: StudySide, right: StudySide, named: tuple[str, str]) -> tuple[str, str]:
    names = []
    for side, name in zip((left, right), named, strict=True):
        known = side.table.systems
        names.append(recorded_name(name, known))
        if names[-1] not in known:
            raise Misuse(f"{side.name}: {name} has no answers; it has {', '.join(known) or 'none'}")
    return names[0], names[1]


def _shared(left: StudySide, right: StudySide) -> list[tuple[str, str]]:
    shared = [name for name in left.table.systems if name in right.table.systems]
    if not shared:
        raise Misuse(f"{left.name} and {right.name} share no variant; name one of each")
    return [(name, name) for name in shared]


def _joined(left: StudySide, a: str, right: StudySide, b: str) -> JoinedTable:
    table = joined(left, a, right, b)
    if not table.row["questions"]:
        raise Misuse(f"{a} of {left.name} and {b} of {right.name} share no question of one user")
    return table


def _check_one_shop(here: Study, there: Study) -> None:
    studies = (here, there)
    sets = [one.config.get("run", {}).get("set") for one in studies]
    check_same_set(here.folder, sets[0], there.folder, sets[1])
    shops = [_shops(one) for one in studies]
    if shops[0] != shops[1]:
        parts = (f"{one.folder} answers {shop}" for one, shop in zip(studies, shops, strict=True))
        raise Misuse(f"{', '.join(parts)}: questions of different shops are not joined")


def _shops(study: Study) -> str:
    """Return the shops of the answers in words. Imported answers have that of the study."""
    found = {one.key_fields.get("shop") for one in study.records("answer")}
    if None in found:
        with study_shop(study, study_settings(study, {}, ()), None) as shop:
            found = {*found - {None}, None if shop is None else shop.manifest.content_hash}
    return ", ".join(sorted(f"the shop {str(one)[:12]}" if one else "no known shop" for one in found))


def _judged_otherwise(one: JudgingRun | None, other: JudgingRun | None) -> list[str]:
    """List what differs between two judgings that are not the same run. Of two judges one may be milder, so their figures do not compare."""
    if one is None or other is None:
        who = [judging.judge if judging else "nobody" for judging in (one, other)]
        return [] if one is other else [f"by {who[0]} and by {who[1]}"]
    if one.agrees(other):
        return []
    a, b = asdict(one), asdict(other)
    found = [f"{name} {a[name]} and {b[name]}" for name in ("judge", "extractor") if a[name] != b[name]]
    tasks = [
        name
        for name in a["versions"].keys() & b["versions"].keys()
        if one.versions[name] != other.versions[name]
    ]
    return [*found, *([f"other versions of {', '.join(sorted(tasks))}"] if tasks else [])] or [
        "another protocol"
    ]


def _judge_anew(folder: Path, judge: str) -> None:
    from drr.app.judge.judge_plan import JudgePlan, paper_options
    from drr.app.judge.run import conclude_judging
    from drr.app.judge.run import judge as judge_study

    named = {"model_judge": judge}
    made = judge_study(JudgePlan(study=folder, named_settings=named, renew=True, of_papers=paper_options({})))
    conclude_judging(made, folder)


def joined_text(table: JoinedTable) -> str:
    """Return a sentence on the questions that are joined and those that are not."""
    row = table.row
    here, there = (side.name for side, _ in (table.variants or {}).values())
    alone = [
        f"only {name} asked {', '.join(ids[:NAMED])}{f' and {len(ids) - NAMED} more' if ids[NAMED:] else ''}"
        for name, ids in ((here, row["only_a"]), (there, row["only_b"]))
        if ids
    ]
    count = f"{many(row['questions'], 'question')} of both joined by words and user"
    return f"{'; '.join([count, *alone])}."


NAMED = 10
"""Most questions that the sentence names."""

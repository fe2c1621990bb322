"""The things behind a reading on dev, one by one, read again from what is kept. And two readings side by side."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from drr.app.terminal import number, table
from drr.env.files import read_file
from drr.papers.reporteval.alignment.figures import (
    AlignedThing,
    JudgedThing,
    Run,
    judged_things,
    nearer,
    things,
)
from drr.papers.reporteval.alignment.kept import JudgeAlignment


def rows_on_dev(alignment: JudgeAlignment, run: Run) -> list[JudgedThing]:
    return _kept_on_dev(alignment, run)[0]


def things_on_dev(alignment: JudgeAlignment, run: Run) -> list[AlignedThing]:
    """List the things behind a reading's figures. None of a version whose prompt was changed since, as what
    it found is no longer found again."""
    if alignment.version(run["version"]).hash != run["hash"]:
        return []
    return things(*_kept_on_dev(alignment, run))


def _kept_on_dev(alignment: JudgeAlignment, run: Run) -> tuple[list[JudgedThing], dict[tuple[str, str], str]]:
    """Read them as they were judged, from what is kept; nothing is asked."""
    from drr.app.models import prompts_of
    from drr.env.settings import Settings
    from drr.eval.asking.judge import JudgeName, KeptAnswers
    from drr.eval.asking.rules import is_rules
    from drr.eval.tasks.desk import Desk
    from drr.offline.judge import RulesJudge
    from drr.papers.reporteval.alignment.figures import AlignmentWork

    stand_in = RulesJudge()
    by_rules = is_rules(run["judge"])
    judge = JudgeName("offline" if by_rules else run["judge"], run["judge"], by_rules)
    settings = Settings(prompts=alignment.version(run["version"]).folder)
    shop_url = alignment.study.config.get("settings", {}).get("shop_url") or settings.shop_url
    desk = Desk(judge, judge, None, shop_url, prompts_of(settings, "eval"), stand_in=stand_in)
    items = alignment.dev()
    work = AlignmentWork(alignment.task, desk, items, KeptAnswers(alignment.study))
    return judged_things(items, work.judgements(alignment.study)), work.unit_keys()


def comparison(alignment: JudgeAlignment, old: int, new: int) -> dict[str, Any]:
    from drr.env.errors import Misuse

    by_version = {run["version"]: run for run in alignment.on_dev()}
    missing = [f"v{one}" for one in (old, new) if one not in by_version]
    if missing:
        raise Misuse(f"compare: {', '.join(missing)} was not run on dev by the judge who read last")
    before, after = (rows_on_dev(alignment, by_version[one]) for one in (old, new))
    difference = nearer(after, before)
    moved = _moved(before, after)
    units = [
        {(one["text"], one["side"]): one["unit"] for one in things_on_dev(alignment, by_version[version])}
        for version in (old, new)
    ]
    return {
        "task": alignment.task.name,
        "judge": by_version[new]["judge"],
        "old": by_version[old],
        "new": by_version[new],
        "difference": {**difference.difference.document(), "p": difference.p},
        "nearer": sum(change < 0 for change in moved),
        "farther": sum(change > 0 for change in moved),
        "same": sum(change == 0 for change in moved),
        "changed": _changed(alignment, old, new),
        "things": [
            {
                "id": b.item.name,
                "side": b.side,
                "people": b.people,
                "old": a.judge,
                "new": b.judge,
                "moved": None if a.apart is None or b.apart is None else round(b.apart - a.apart, 9),
                "units": [own.get((b.item.id, b.side)) for own in units],
            }
            for a, b in zip(before, after, strict=True)
        ],
    }


def _moved(before: Sequence[JudgedThing], after: Sequence[JudgedThing]) -> list[float]:
    pairs = [(a.apart, b.apart) for a, b in zip(after, before, strict=True)]
    return [round(a - b, 9) for a, b in pairs if a is not None and b is not None]


def _changed(alignment: JudgeAlignment, old: int, new: int) -> list[str]:
    lines: list[str] = []
    for name in alignment.task.prompts:
        before, after = (
            read_file(alignment.version(one).folder / f"{name}.md").decode().splitlines()
            for one in (old, new)
        )
        lines += unified_diff(before, after, f"v{old}/{name}.md", f"v{new}/{name}.md", lineterm="", n=0)
    return lines


def things_text(run: Run, found: Sequence[AlignedThing]) -> str:
    rows = [
        [
            f"{one['id']}, {one['side']}",
            number(one["judge"], 2),
            number(one["people"], 2),
            number(one["apart"], 2),
            one["unit"][:12],
        ]
        for one in found
    ]
    head = f"v{run['version']} ({run['hash']}), {run['judge']}, {run['half']}"
    shown = table([head, "judge", "experts", "apart", "unit"], rows)
    return f"{shown}\n\nThe mean of `apart` is MAD. What the judge was asked and said: `drr study trace STUDY UNIT --full`"

"""Whether `rules-1` says what people say of claims beside their evidence: pairs by writers who had never seen the judge.

python -m benchmarks.support_pairs [PAIRS.jsonl ...] [--half work|sealed] [--points] [--misses] [--record HEADING] [--worth SET [--people]]

Files of pairs in our own form, of WiCE or of AttributionBench as they are published (`support_forms.py`); where no label is `partial`, what is called `full` is counted beside what is. The pairs of `strangers/support*.jsonl`
were written for this project by writers who knew the task and the three labels and had not seen the judge; those of
`pairs/` by who mended the rules (`pairs/README.md`). The weights are fitted to all of these but `strangers/support17.jsonl` to `support19.jsonl`: what they are worth to a writer who is left out, `support_fit` counts; first counts on new writers are kept in `eval/stats/worth.toml`. Halves are drawn by a hash of `evidence_id`.
`--worth` keeps a first count as what stands over every verdict by rules (`eval/stats/worth.toml`), `--people` says that people gave its labels. With `--points` each claim is a key point
and its evidence a report: what `rules-1` says of points that code does not decide.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import orjson
from drr.eval.evidence.lexical import support
from drr.eval.evidence.passages import select
from drr.eval.stats.agreement import cohen_kappa
from drr.eval.stats.intervals import V
from drr.eval.stats.worth import MEASURED
from drr.offline.judge import RulesJudge
from drr.offline.points import match

from benchmarks.results import record, table
from benchmarks.support_forms import HALVES, LABELS, SupportPair, is_twofold, read_pairs

FOLDER = Path(__file__).parent
PAIRS = (
    *(FOLDER / "strangers" / f"support{number}.jsonl" for number in range(1, 17)),
    FOLDER / "pairs" / "products.jsonl",
    FOLDER / "pairs" / "changed.jsonl",
    FOLDER / "pairs" / "guides.jsonl",
    FOLDER / "pairs" / "natural.jsonl",
)


class JudgedPair(NamedTuple):
    pair: SupportPair
    said: str
    why: str


def judged(pairs: Sequence[SupportPair]) -> list[JudgedPair]:
    """As a study's judging by rules: of a long text the passages that it would be shown."""
    found = []
    for pair in pairs:
        shown = "\n[...]\n".join(
            pair.evidence[s.start : s.end].strip() for s in select(pair.claim, pair.evidence)
        )
        said, _ = support(pair.claim, [shown])
        found.append(JudgedPair(pair, said.label, said.reason))
    return found


def matched(pairs: Sequence[SupportPair]) -> list[JudgedPair]:
    """As points of a report, which is always shown whole."""
    words = {"support": "full", "partial_support": "partial", "not_support": "none"}
    said = [match(pair.claim, None, pair.evidence) for pair in pairs]
    return [JudgedPair(pair, words[one.support], one.reason) for pair, one in zip(pairs, said, strict=True)]


def kappa(found: Sequence[JudgedPair]) -> V:
    """Quadratic-weighted, by evidence; of labels that know no `partial`, of what is full and what is not."""
    if is_twofold([one.pair for one in found]):
        return cohen_kappa(
            [one.said == "full" for one in found],
            [one.pair.label == "full" for one in found],
            clusters=[one.pair.evidence_id for one in found],
        )
    return cohen_kappa(
        [one.said for one in found],
        [one.pair.label for one in found],
        clusters=[one.pair.evidence_id for one in found],
        categories=LABELS,
        weights="quadratic",
    )


def confusion(found: Sequence[JudgedPair]) -> str:
    cells = Counter((one.pair.label, one.said) for one in found)
    rows = [
        [label, *(cells[label, said] for said in LABELS)]
        for label in LABELS
        if any(cells[label, said] for said in LABELS)
    ]
    return table(["the labels say", *(f"rules say {said}" for said in LABELS)], rows)


def summary(name: str, found: Sequence[JudgedPair]) -> list[object]:
    value = kappa(found)
    twofold = is_twofold([one.pair for one in found])
    exact = sum(
        (one.said == "full") == (one.pair.label == "full") if twofold else one.said == one.pair.label
        for one in found
    )
    shown = "unknown" if value.value is None else f"{value.value:.2f}"
    if value.ci_low is not None:
        shown += f" [{value.ci_low:.2f}, {value.ci_high:.2f}]"
    return [name, len(found), shown, f"{exact / len(found):.0%}"]


def keep_worth(name: str, found: Sequence[JudgedPair], *, by_people: bool) -> None:
    value = kappa(found)
    rows = {
        "set": orjson.dumps(name).decode(),
        "date": datetime.now(tz=UTC).date().isoformat(),
        "version": RulesJudge.version,
        **({"by": '"people"'} if by_people else {}),
        **({"twofold": "true"} if is_twofold([one.pair for one in found]) else {}),
        "pairs": len(found),
        "kappa": f"{value.value:.2f}",
        "low": f"{value.ci_low:.2f}",
        "high": f"{value.ci_high:.2f}",
    }
    with MEASURED.open("a", encoding="utf-8") as file:
        file.write("\n[[measured]]\n" + "".join(f"{key} = {told}\n" for key, told in rows.items()))


HEAD = ("pairs", "n", "kappa [95 %]", "same label")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="files of pairs (default: those that are kept)")
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--points", action="store_true", help="claims as key points, evidence as reports")
    parser.add_argument("--misses", action="store_true", help="print each pair that is judged otherwise")
    parser.add_argument(
        "--worth", metavar="SET", help="keep the last file's count as what stands over verdicts by rules"
    )
    parser.add_argument("--people", action="store_true", help="of `--worth`: people gave the labels")
    parser.add_argument(
        "--record", metavar="HEADING", help="keep the tables under this heading of RESULTS.md"
    )
    arguments = parser.parse_args()
    parts = []
    for path in arguments.files or PAIRS:
        pairs = [pair for pair in read_pairs(path) if arguments.half in (None, pair.half)]
        found = matched(pairs) if arguments.points else judged(pairs)
        name = f"{path.stem}, {arguments.half} half" if arguments.half else path.stem
        parts.append(f"{table(HEAD, [summary(name, found)])}\n\n{confusion(found)}")
        manners = Counter(one.pair.manner for one in found)
        same = Counter(one.pair.manner for one in found if one.said == one.pair.label)
        print(table(["manner", "same", "of"], [[m, same[m], n] for m, n in manners.most_common()]))
        if arguments.misses:
            for one in found:
                if one.said != one.pair.label:
                    print(
                        f"\n{one.pair.id} {one.pair.label} -> {one.said} ({one.pair.manner}; {one.why})\n  {one.pair.claim}"
                    )
    text = "\n\n".join(parts)
    print(f"\n{text}")
    if arguments.record:
        record(arguments.record, text)
    if arguments.worth:
        keep_worth(arguments.worth, found, by_people=arguments.people)


if __name__ == "__main__":
    main()

"""First contact: the rules on texts by writers who had never read them. Half have one planted error, half are their clean twins.

python -m benchmarks.first_contact [ROUND.jsonl ...] [--shop SHOP] [--misses] [--record]

A line of a round: `id`, `form` (passage, report), `manner`, `user_id`, `query`, `text`, and `plant` (`replace`, `with`, `kind`, `why`) or
null. The first run of a round, before anything is changed, is the figure that counts; a used round is a regression set.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import orjson
from drr.citations.parse import parse
from drr.env.shop import Shop
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject, urls_in
from drr.eval.checks.results import Check
from pydantic import BaseModel, ConfigDict, Field

from benchmarks.planted import sample_shop, share
from benchmarks.results import record, table

ROUNDS = Path(__file__).parent / "strangers"
SETS = {
    "errors in named places": "places*.jsonl",
    "long reports and passages": "long*.jsonl",
    "the same, a control set": "control*.jsonl",
    "prose, rounds 79 to 84": "round*.jsonl",
    "texts that talk their reader round": "hostile*.jsonl",
}
"""Files of the kept texts."""


class Plant(BaseModel):
    """One exact replacement that makes one statement false."""

    replace: str
    by: str = Field(alias="with")
    kind: str
    why: str


class StrangerText(BaseModel):
    """A text that its writer holds to be true in all it says, and how to make its twin."""

    model_config = ConfigDict(extra="ignore")

    id: str
    form: str
    manner: str = ""
    user_id: str | None = None
    query: str | None = None
    text: str
    plant: Plant | None = None

    @property
    def twin(self) -> str | None:
        if self.plant is None:
            return None
        if self.text.count(self.plant.replace) != 1:
            raise ValueError(
                f"{self.id}: what is to be replaced stands {self.text.count(self.plant.replace)} times"
            )
        return self.text.replace(self.plant.replace, self.plant.by)


def read_round(path: Path) -> list[StrangerText]:
    return [
        StrangerText.model_validate(orjson.loads(line))
        for line in path.read_bytes().splitlines()
        if line.strip()
    ]


Finding = tuple[str, str]


@dataclass
class FirstContact:
    """The results of one round."""

    clean: Counter[str] = field(default_factory=Counter)
    """Clean texts by form."""
    alarmed: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    """Clean texts that a rule failed."""
    planted: Counter[str] = field(default_factory=Counter)
    """By kind of error."""
    caught: Counter[str] = field(default_factory=Counter)
    """By a rule that passes the clean twin."""
    remarked: Counter[str] = field(default_factory=Counter)
    """By a remark alone, which is no failure."""
    by_rule: Counter[str] = field(default_factory=Counter)
    """Errors caught or remarked, by the rules that do."""
    alarms: list[str] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)
    seconds: float = 0.0


def findings(text: str, known: str, one: StrangerText, shop: Shop) -> tuple[set[Finding], set[Finding]]:
    """Return what rules say against a text, and what they only remark."""
    named = {source.url for source in parse(known, shop.shop_url).sources}
    checks: dict[str, Check] = check_report(
        Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(known) | named)
    )
    return told(checks), told(checks, "remark")


def told(checks: Mapping[str, Check], status: str = "fail") -> set[Finding]:
    """List what rules with this result say."""
    return {
        (name, why)
        for name, check in checks.items()
        if check.status == status
        for why in (one.why for one in check.findings)
    }


def run(shop: Shop, texts: Iterable[StrangerText]) -> FirstContact:
    seen = FirstContact()
    start = perf_counter()
    for one in texts:
        clean, remarks = findings(one.text, one.text, one, shop)
        failed = {rule for rule, _ in clean}
        seen.clean[one.form] += 1
        seen.alarmed[one.form] += bool(clean)
        seen.rules.update(failed)
        seen.alarms += [f"{one.id} {rule}: {why}" for rule, why in sorted(clean)]
        if one.plant is None or (twin := one.twin) is None:
            continue
        found, noted = findings(twin, one.text, one, shop)
        new = {rule for rule, _ in found - clean} - failed
        noted -= remarks
        seen.planted[one.plant.kind] += 1
        seen.caught[one.plant.kind] += bool(new)
        seen.remarked[one.plant.kind] += not new and bool(noted)
        seen.by_rule.update(new | {rule for rule, _ in noted})
        if not new and not noted:
            seen.misses.append(
                f"{one.id} {one.plant.kind}: {one.plant.replace!r} -> {one.plant.by!r}; {one.plant.why}"
            )
    seen.seconds = perf_counter() - start
    return seen


def summary(seen: FirstContact) -> Sequence[str]:
    """One row: texts, caught, false alarms by form."""
    planted = seen.planted.total()
    return (
        f"{seen.clean.total() + planted}",
        share(seen.caught.total(), planted),
        f"{seen.remarked.total()}",
        share(seen.alarmed["passage"], seen.clean["passage"]),
        share(seen.alarmed["report"], seen.clean["report"]),
    )


HEAD = ("with twins", "caught", "only remarked", "clean passages accused", "clean reports accused")
TOLD = (
    "Texts by writers (language models) who had seen no code; half hold one planted error, half are their clean twins. An"
    " error is caught where a rule fails that passes the twin. The rules were mended on these very texts, but for the control set; a"
    " clean text that holds a tool's name or the markup of a call is accused rightly. Version 0.2.0 caught 1,356 of these.\n\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="*", type=Path, help="files of texts (default: all that are kept)")
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--misses", action="store_true", help="print each false alarm and each miss")
    parser.add_argument("--record", action="store_true", help="keep the table in RESULTS.md")
    arguments = parser.parse_args()
    rows, by_rule = [], Counter[str]()
    given = {path.stem: [path] for path in arguments.rounds}
    with sample_shop(arguments.shop) as shop:
        for name, paths in (
            given or {name: sorted(ROUNDS.glob(files)) for name, files in SETS.items()}
        ).items():
            seen = run(shop, [one for path in paths for one in read_round(path)])
            rows.append([name, *summary(seen)])
            kinds = table(
                ["kind", "caught", "only remarked"],
                [
                    [k, share(seen.caught[k], n), f"{seen.remarked[k]}"]
                    for k, n in sorted(seen.planted.items())
                ],
            )
            by_rule += seen.by_rule
            print(f"\n{name}: {seen.seconds:.1f} s; failing on clean texts: {dict(seen.rules)}\n\n{kinds}")
            if arguments.misses:
                print("\n".join(["", *seen.alarms, "", *seen.misses]))
    rules = ", ".join(f"`{name}` {count}" for name, count in by_rule.most_common())
    text = f"{table(['texts', *HEAD], rows)}\n\nErrors found, by rule: {rules}."
    print(f"\n{text}")
    if arguments.record:
        record("Rules on texts by strangers", TOLD + text)


if __name__ == "__main__":
    main()

"""True changes: a clean text of a stranger, changed as another writer would have written it, may raise no alarm that it did not raise before.

python -m benchmarks.true_changes [ROUND.jsonl ...] [--shop SHOP] [--every 1] [--only NAME ...] [--alarms] [--record]

The reverse too: a planted error that the rules find must be found after the same change. Each text is given every change that has
something to change in it; `--every 5` takes each fifth text. The changes stand in `benchmarks/other_hands.py` and `benchmarks/true_asides.py`.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from drr.env.entities import Product
from drr.env.shop import Shop

from benchmarks.first_contact import ROUNDS, Finding, StrangerText, findings, read_round
from benchmarks.other_hands import FORMS, Original
from benchmarks.planted import Scene, sample_shop, share
from benchmarks.results import record, table
from benchmarks.true_asides import ASIDES

HEADING = "True changes"
CHANGES = {**FORMS, **ASIDES}


@dataclass
class Changed:
    """What the rules said of changed texts, by the name of the change."""

    clean: Counter[str] = field(default_factory=Counter)
    alarmed: Counter[str] = field(default_factory=Counter)
    planted: Counter[str] = field(default_factory=Counter)
    """Errors that are found before the change."""
    kept: Counter[str] = field(default_factory=Counter)
    alarms: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def rows(self) -> list[Sequence[object]]:
        rows = [self._row(name, name) for name in sorted(self.clean)]
        return [
            *rows,
            [
                "all",
                share(self.alarmed.total(), self.clean.total()),
                share(self.kept.total(), self.planted.total()),
            ],
        ]

    def _row(self, told: str, name: str) -> Sequence[object]:
        return [
            told.replace("_", " "),
            share(self.alarmed[name], self.clean[name]),
            share(self.kept[name], self.planted[name]),
        ]


def _original(text: str, one: StrangerText, shop: Shop, others: Sequence[Product], beside: str) -> Original:
    free = tuple(product for product in others if product.product_id not in one.text)
    return Original(text, shop, one.user_id, free, crc32(one.text.encode()), beside)


_OF_A_LIST = re.compile(r"\[\^?\w{1,2}\](?!\()|^#|\b(?:sources|budget|limit|your?|cap)\b", re.I | re.M)


def _beside(one: StrangerText, texts: Sequence[StrangerText]) -> str:
    """A passage that names no list of sources, no reader and no limit: it may stand beside any other."""
    free = [
        other.text
        for other in texts
        if other.form == "passage"
        and other.user_id is None
        and not _OF_A_LIST.search(other.text)
        and other.id != one.id
    ]
    return free[crc32(one.text.encode()) % len(free)] if free else ""


def run(
    shop: Shop,
    texts: Iterable[StrangerText],
    changes: Mapping[str, Callable[[Original], str]] = CHANGES,
    *,
    planted: bool = True,
) -> Changed:
    others = Scene.of(shop, seed=7).products
    texts = list(texts)
    seen = Changed()
    for one in texts:
        clean = findings(one.text, one.text, one, shop)
        beside = _beside(one, texts) if not re.search(r"\d|\$", one.query or "") else ""
        twin = one.twin if planted else None
        found = findings(twin, one.text, one, shop) - clean if twin is not None else set()
        for name, change in changes.items():
            text = change(_original(one.text, one, shop, others, beside))
            if text == one.text:
                continue
            alarms = findings(text, text, one, shop)
            _count(seen, name, one, clean, alarms)
            if twin is None or not found:
                continue
            changed = change(_original(twin, one, shop, others, beside))
            seen.planted[name] += 1
            if findings(changed, text, one, shop) - alarms:
                seen.kept[name] += 1
            elif one.plant is not None:
                seen.lost.append(
                    f"{one.id} {name}: {one.plant.replace!r} -> {one.plant.by!r}, found before: {sorted(found)}"
                )
    return seen


def _count(seen: Changed, name: str, one: StrangerText, before: set[Finding], now: set[Finding]) -> None:
    known = {rule for rule, _ in before}
    new = sorted((rule, why) for rule, why in now - before if rule not in known)
    seen.clean[name] += 1
    seen.alarmed[name] += bool(new)
    seen.alarms += [f"{one.id} {name} {rule}: {why}" for rule, why in new]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="*", type=Path, help="files of texts (default: all that are kept)")
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=list(CHANGES))
    parser.add_argument("--clean", action="store_true", help="no planted errors")
    parser.add_argument(
        "--alarms", action="store_true", help="print each alarm and each error that is found no more"
    )
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rounds = arguments.rounds or sorted(ROUNDS.glob("round*.jsonl"))
    texts = [
        one.model_copy(update={"id": f"{path.stem} {one.id}"}) for path in rounds for one in read_round(path)
    ]
    changes = {name: CHANGES[name] for name in arguments.only}
    with sample_shop(arguments.shop) as shop:
        seen = run(shop, texts[:: arguments.every], changes, planted=not arguments.clean)
    if arguments.alarms:
        print("\n".join(["", *seen.alarms, "", *seen.lost]))
    text = table(["change", "alarms that the text did not raise before", "errors still found"], seen.rows())
    print(f"\n{text}")
    if arguments.record:
        record(HEADING, text)


if __name__ == "__main__":
    main()

"""PQR without a model: are planted faults ordered right, are harmless changes left alone, and what does judging again cost?

python -m benchmarks.pqr [--faults 200] [--reports 300] [--seed 7]

A report is written for a person of the sample shop from what the records say of them; a fault is planted in a copy: the same report
written for another person, a total over the limit, a part of the task left out, a figure that no source states. Right is: the figure that
the fault is about is lower than the clean report's. A harmless change (sections in another order, other marks of lists, another greeting)
that lowers a figure is a false alarm.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from drr.app.cli import main as drr
from drr.env.entities import Product
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics import values_of
from drr.papers.pdr.build import build_persons
from drr.papers.pdr.judging.by_rule import touches
from drr.papers.pdr.person import Person
from drr.study.study import Study

from benchmarks.planted_reports import short_title
from benchmarks.results import machine, record, table

FAULTS = {
    "swapped person": "pqr_p",
    "ignored limit": "pqr_p",
    "missing part": "pqr_q",
    "unsupported figure": "pqr_r",
}
"""By the figure that must be lower."""
HARMLESS = {
    "other order": ("pqr_p", "pqr_q", "pqr_r"),
    "other marks": ("pqr_p", "pqr_q", "pqr_r"),
    "other greeting": ("pqr_p", "pqr_q"),
}
"""By the figures that must not be lower. To an extraction of claims by rules a greeting is a claim without a source: R is left out there."""
_PARTS = (
    "a bird feeder for the balcony",
    "a dog bed for the hall",
    "a kettle for the office",
    "a lamp for reading in bed",
    "a storage box for the closet",
    "a mat for yoga in the morning",
    "a brush for the bathroom",
    "a notebook for travel plans",
)
_WHY = ("it lasts for years", "it is easy to clean", "it takes little room", "it is quiet in use")


@dataclass(frozen=True)
class Written:
    """The parts of one report."""

    person: Person
    task: str
    parts: tuple[str, ...]
    products: tuple[Product, ...]
    limit: int
    said: tuple[str, ...]
    """Of the person, what touches the task."""
    greeting: str = "Here is a plan."
    mark: str = "-"
    turned: bool = False
    wrong: bool = False

    def report(self, shop_url: str) -> str:
        prices = [product.price or 0.0 for product in self.products]
        sections = [
            f"## {part.capitalize()}\n\n{self.mark} **{short_title(product)}** costs ${price + (7.31 if self.wrong and not n else 0):.2f} [{n + 1}]. It suits {part}, because"
            f" {_WHY[n % len(_WHY)]}."
            for n, (part, product, price) in enumerate(zip(self.parts, self.products, prices, strict=True))
        ]
        about = [
            f"{self.mark} As this plan is for someone who {one}, the picks above follow from that."
            for one in self.said
        ]
        blocks = [
            "\n\n".join(sections[::-1] if self.turned else sections),
            "## For you\n\n" + "\n".join(about),
        ]
        total = sum(prices)
        sources = "\n".join(f"[{n}] {shop_url}/{one.product_id}" for n, one in enumerate(self.products, 1))
        return "\n\n".join(
            [
                f"# A plan\n\n{self.greeting}",
                *blocks,
                f"**Total: ${total:.2f}**",
                f"## Sources\n\n{sources}\n",
            ]
        )


class Planted(NamedTuple):
    """One report beside its clean one, by query."""

    query: JsonObject
    kind: str
    clean: str
    changed: str


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--reports", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drr-pqr-") as scratch:
        folder = Path(scratch)
        _quiet("sample", str(folder / "raw"), "--seed", "7", "--products", "600", "--users", "200", "--quiet")
        _quiet("ingest", str(folder / "raw"), "--shop", str(folder / "shop"), "--quiet")
        with open_shop(str(folder / "shop"), Settings()) as shop:
            planted = list(_planted(shop, arguments.faults, random.Random(arguments.seed)))
        rows = _ordered(folder, planted)
        again = _again(folder, planted, arguments.reports)
    text = (
        f"{len(planted)} pairs of reports on the sample shop, judged by rules-2 ({machine()}). Right: the figure named is lower than the clean"
        " report's, for a harmless change that none is; a greeting is a claim without a source to rules, so R is left out there.\n\n"
    )
    record(
        "PQR without a model",
        text + table(("change", "figure", "pairs", "ordered right", "share"), rows) + "\n\n" + again,
    )


def _planted(shop: Shop, faults: int, rng: random.Random) -> Iterator[Planted]:
    users = shop.store.sample_users(80, seed=3, min_orders=8)
    persons = [one for one in build_persons(shop, users, seed=0) if len(one.attributes) > 3]
    priced = [one for one in shop.store.iter_products() if one.price is not None and 5 < one.price < 60]
    every = [one for one in shop.store.iter_products() if one.price is not None]
    url = Settings().shop_url
    for number in range(2 * faults):
        kind = (
            list(FAULTS)[number % len(FAULTS)] if number < faults else list(HARMLESS)[number % len(HARMLESS)]
        )
        person, other = rng.sample(persons, 2)
        parts = tuple(rng.sample(_PARTS, 3))
        products = tuple(rng.sample(priced, 3))
        dear = rng.choice([one for one in every if (one.price or 0.0) > (products[2].price or 0.0) + 15])
        limit = int(sum(one.price or 0.0 for one in products)) + 10
        task = f"I need {parts[0]}, {parts[1]} and {parts[2]}, for at most ${limit} in all. Case {number}."
        clean = Written(person, task, parts, products, limit, _said(person, task))
        query: JsonObject = {"id": f"q-{number}", "query": task, "user_id": person.user_id}
        yield Planted(query, kind, clean.report(url), _changed(clean, kind, other, dear).report(url))


def _said(person: Person, task: str) -> tuple[str, ...]:
    return tuple(one.statement for one in person.attributes if touches(one, task))


def _changed(clean: Written, kind: str, other: Person, dear: Product) -> Written:
    changes: dict[str, Callable[[], Written]] = {
        "swapped person": lambda: replace(clean, said=_said(other, clean.task)),
        "ignored limit": lambda: replace(clean, products=(*clean.products[:2], dear)),
        "missing part": lambda: replace(clean, parts=clean.parts[:2], products=clean.products[:2]),
        "unsupported figure": lambda: replace(clean, wrong=True),
        "other order": lambda: replace(clean, turned=True),
        "other marks": lambda: replace(clean, mark="*"),
        "other greeting": lambda: replace(clean, greeting="This is what to buy."),
    }
    return changes[kind]()


def _ordered(folder: Path, planted: Sequence[Planted]) -> list[tuple[str, ...]]:
    study = _judged(
        folder, "ordered", [(one.query, {"clean": one.clean, "changed": one.changed}) for one in planted]
    )
    with Study.open(study) as opened:
        judged = read_judged(opened, choose(opened))
        values = {(one.query_id, one.variant): values_of(judged, one) for one in judged.answers}
    right: Counter[str] = Counter()
    pairs = Counter(one.kind for one in planted)
    for one in planted:
        clean, changed = (values[str(one.query["id"]), system] for system in ("clean", "changed"))
        names = (FAULTS[one.kind],) if one.kind in FAULTS else HARMLESS[one.kind]
        lower = any((clean[name] or 0.0) - (changed[name] or 0.0) > 1e-9 for name in names)
        right[one.kind] += lower is (one.kind in FAULTS)
    about = {**FAULTS, **{kind: ", ".join(names) for kind, names in HARMLESS.items()}}
    rows = [
        (kind, about[kind], str(pairs[kind]), str(right[kind]), f"{right[kind] / pairs[kind]:.1%}")
        for kind in pairs
    ]
    faults = [kind for kind in pairs if kind in FAULTS]
    for name, kinds in (
        ("all faults", faults),
        ("all harmless changes", [kind for kind in pairs if kind not in FAULTS]),
    ):
        many, good = sum(pairs[kind] for kind in kinds), sum(right[kind] for kind in kinds)
        rows.append((name, "", str(many), str(good), f"{good / many:.1%}"))
    return rows


def _again(folder: Path, planted: Sequence[Planted], reports: int) -> str:
    """Three systems a question; the second judging computes nothing."""
    some = planted[: reports // 3]
    texts = [
        (one.query, {"alpha": one.clean, "beta": one.changed, "gamma": f"{one.clean}\nThat is all.\n"})
        for one in some
    ]
    started = time.perf_counter()
    study = _judged(folder, "again", texts)
    first = time.perf_counter() - started
    started, worked = time.perf_counter(), time.process_time()
    told = _quiet("judge", str(study), "--what", "pqr", "--quiet")
    second, cpu = time.perf_counter() - started, time.process_time() - worked
    done = next(word for word in told.split(": ")[-1].split(";") if "done now" in word).split()[0]
    rows = [
        ("first, by rules-2", "", f"{first:.1f}"),
        ("again, from what is kept", done, f"{second:.1f} ({cpu:.1f} of processor time)"),
    ]
    head = f"{3 * len(some)} reports, `drr judge --what pqr` (P and Q in three rounds, R, violations, rules).\n\n"
    return head + table(("judging", "units computed", "s"), rows)


def _judged(folder: Path, name: str, texts: Sequence[tuple[JsonObject, dict[str, str]]]) -> Path:
    lines = [
        {
            **{key: value for key, value in query.items() if key != "id"},
            "query_id": query["id"],
            "id": f"{query['id']}-{system}",
            "system": system,
            "report_markdown": report,
        }
        for query, systems in texts
        for system, report in systems.items()
    ]
    path, study = folder / f"{name}.jsonl", folder / name
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    _quiet("import", str(study), str(path), "--shop", str(folder / "shop"), "--quiet")
    _quiet("judge", str(study), "--what", "pqr", "--judge", "offline", "--quiet")
    return study


def _quiet(*words: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = drr(words)
    if code:
        raise SystemExit(f"drr {' '.join(words)}: {said.getvalue()}")
    return said.getvalue()


if __name__ == "__main__":
    main()

"""A judge's two readings of texts by writers who had never met it (`drr judges check --judge`): what of planted errors it finds, and whom it accuses wrongly.

python -m benchmarks.mistakes ROUND.jsonl ... [--shop SHOP] [--judge MODEL] [--answers FILE] [--misses]

`--judge` asks a model, about 1.6 calls a text; `--answers` keeps each answer under the hash of what was asked, and gives it again in the place of
asking. Without a model what is kept is all there is. The answers of `strangers/readings.jsonl.gz` are kept with the project.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from drr.app.models.setup import models_of
from drr.citations.parse import parse
from drr.env.settings import resolve
from drr.env.shop import Shop
from drr.eval.asking.conversation import Asking, Form, box_prompts
from drr.eval.asking.judge import Examiner, UnkeptJudge
from drr.eval.checks import check_report
from drr.eval.checks.base import Subject, urls_in
from drr.eval.tasks.judgements import MistakesResult
from drr.eval.tasks.mistakes import Brief, mistakes_in
from drr.llm.failures import ModelFailure
from drr.llm.meter import Meter

from benchmarks.first_contact import Finding, StrangerText, read_round, told
from benchmarks.planted import sample_shop, share
from benchmarks.results import table

KEPT = Path(__file__).parent / "strangers" / "readings.jsonl.gz"


class KeptReader:
    """Answers that are kept; a model is asked for the others where there is one."""

    rule_written = False

    def __init__(self, path: Path, model: Examiner | None) -> None:
        self._path, self._model = path, model
        self._known = dict(_read(path)) if path.exists() else {}
        self.asked = 0

    async def answer(self, asking: Asking[Form]) -> Form:
        kept = self._known.get(asking.fingerprint)
        if kept is not None:
            return asking.form.model_validate(kept)
        if self._model is None:
            raise ModelFailure("malformed", "no answer is kept, and --judge names nobody to ask")
        said = await self._model.answer(asking)
        self._known[asking.fingerprint] = said.model_dump()
        self.asked += 1
        return said

    def keep(self) -> None:
        rows = (orjson.dumps({"asked": key, "said": said}) for key, said in sorted(self._known.items()))
        self._path.write_bytes(gzip.compress(b"\n".join(rows), mtime=0))


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    for line in gzip.decompress(path.read_bytes()).splitlines():
        row = orjson.loads(line)
        yield row["asked"], row["said"]


class TextRead(NamedTuple):
    found: MistakesResult | None
    """`None` without an answer."""
    broken: frozenset[Finding]
    """Found by rules."""

    @property
    def wrong(self) -> frozenset[Finding]:
        """Everything that is held against the text: what `drr judges check --judge` shows."""
        rows = [] if self.found is None else self.found["mistakes"]
        return self.broken | {("judge", row["words"]) for row in rows}


@dataclass
class RoundRead:
    """The results of one round."""

    clean: Counter[str] = field(default_factory=Counter)
    """By form, of those that were read."""
    alarmed: Counter[str] = field(default_factory=Counter)
    planted: Counter[str] = field(default_factory=Counter)
    """By kind."""
    first: Counter[str] = field(default_factory=Counter)
    """Of these, charged by the judge in its first reading, or found by rules."""
    caught: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    told: list[str] = field(default_factory=list)


def subject(shop: Shop, one: StrangerText, text: str) -> Subject:
    named = {source.url for source in parse(one.text, shop.shop_url).sources}
    returned = urls_in(one.text) | named
    return Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=returned)


async def read(shop: Shop, one: StrangerText, text: str, judge: Examiner) -> TextRead:
    about = subject(shop, one, text)
    try:
        found = await mistakes_in(Brief.of(about, shop.shop_url), judge, box_prompts())
    except ModelFailure as failure:
        if failure.fatal:
            raise
        return TextRead(None, frozenset())
    return TextRead(found, frozenset(told(check_report(about))))


async def run(shop: Shop, texts: Sequence[StrangerText], judge: Examiner, together: int) -> RoundRead:
    seen, places = RoundRead(), asyncio.Semaphore(together)

    async def both(one: StrangerText) -> tuple[TextRead, TextRead | None]:
        async with places:
            clean = await read(shop, one, one.text, judge)
            twin = one.twin
            return clean, None if twin is None else await read(shop, one, twin, judge)

    for one, (clean, twin) in zip(texts, await asyncio.gather(*map(both, texts)), strict=True):
        _enter(seen, one, clean, twin)
    return seen


def _enter(seen: RoundRead, one: StrangerText, clean: TextRead, twin: TextRead | None) -> None:
    seen.unread += (clean.found is None) + (twin is not None and twin.found is None)
    if clean.found is not None:
        seen.clean[one.form] += 1
        seen.alarmed[one.form] += bool(clean.wrong)
        rows = [f"{row['words']!r}: {row['why']}" for row in clean.found["mistakes"]]
        broken = [f"{rule}: {why}" for rule, why in sorted(clean.broken)]
        seen.told += [f"{one.id} accused: {what}" for what in [*rows, *broken]]
    if one.plant is None or twin is None or twin.found is None:
        return
    passed = [*twin.found["acquitted"], *twin.found.get("open", ())]
    kind, charged = one.plant.kind, [*twin.found["mistakes"], *passed]
    seen.planted[kind] += 1
    seen.first[kind] += bool(twin.broken - clean.broken or charged)
    caught = bool(twin.wrong - clean.wrong)
    seen.caught[kind] += caught
    if not caught:
        acquitted = [f"{row['words']!r}: {row['defence']}" for row in passed]
        plant = f"{one.plant.replace!r} -> {one.plant.by!r}; {one.plant.why}"
        seen.told.append(f"{one.id} missed, {kind}: {plant}; passed: {acquitted}")


def summary(seen: RoundRead) -> Sequence[str]:
    planted = seen.planted.total()
    return (
        f"{seen.clean.total() + planted}",
        share(seen.first.total(), planted),
        share(seen.caught.total(), planted),
        share(seen.alarmed["passage"], seen.clean["passage"]),
        share(seen.alarmed["report"], seen.clean["report"]),
    )


HEAD = (
    "texts with twins",
    "charged at first",
    "caught",
    "clean passages accused",
    "clean reports accused",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rounds", nargs="+", type=Path, help="files of texts")
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--judge", metavar="MODEL", help="who reads what no answer is kept of")
    parser.add_argument("--base-url", metavar="URL")
    parser.add_argument(
        "--answers", type=Path, default=KEPT, metavar="FILE", help="default: those of the project"
    )
    parser.add_argument("--together", type=int, default=8, help="texts in flight (default 8)")
    parser.add_argument("--misses", action="store_true", help="print each false accusation and each miss")
    arguments = parser.parse_args()
    rows = []
    with sample_shop(arguments.shop) as shop:
        for path in arguments.rounds:
            seen = asyncio.run(_read_round(shop, path, arguments))
            rows.append([path.stem, *summary(seen)])
            kinds = [
                [kind, share(seen.first[kind], n), share(seen.caught[kind], n)]
                for kind, n in sorted(seen.planted.items())
            ]
            print(f"\n{path.stem}: {seen.unread} texts without an answer\n")
            print(table(["kind", "charged at first", "caught"], kinds))
            if arguments.misses:
                print("\n".join(["", *seen.told]))
    text = table(["round", *HEAD], rows)
    print(f"\n{text}")


async def _read_round(shop: Shop, path: Path, arguments: argparse.Namespace) -> RoundRead:
    model, models = None, None
    if arguments.judge:
        given = {"model_judge": arguments.judge, "base_url": arguments.base_url}
        models = models_of(resolve({name: value for name, value in given.items() if value}).settings)
        model = UnkeptJudge(models.unit(Meter()).role("judge"))
    reader = KeptReader(arguments.answers, model)
    try:
        return await run(shop, read_round(path), reader, arguments.together)
    finally:
        if reader.asked:
            reader.keep()
        if models is not None:
            await models.aclose()


if __name__ == "__main__":
    main()

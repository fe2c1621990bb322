"""Judging 300 reports: the first time without a model, and again from what is kept.

python -m benchmarks.judging [--queries 100]      three systems each
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drr.app.cli import main as drr
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop

from benchmarks.results import record

CARE = "Feeding wild birds in winter improves survival. Feeders should be cleaned weekly to prevent the spread of disease."


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=100)
    queries = parser.parse_args().queries
    with tempfile.TemporaryDirectory(prefix="drr-judging-") as scratch:
        folder = Path(scratch)
        _quiet(
            "data",
            "sample",
            str(folder / "raw"),
            "--seed",
            "7",
            "--products",
            "300",
            "--users",
            "80",
            "--quiet",
        )
        _quiet("data", "ingest", str(folder / "raw"), "--shop", str(folder / "shop"), "--quiet")
        with open_shop(str(folder / "shop"), Settings()) as shop:
            lines = [json.dumps(report) for report in _reports(shop, queries)]
        (folder / "reports.jsonl").write_text("\n".join(lines), encoding="utf-8")
        study = str(folder / "study")
        _quiet(
            "study", "import", study, str(folder / "reports.jsonl"), "--shop", str(folder / "shop"), "--quiet"
        )
        (units, first), (_, again) = _timed(study), _timed(study)
    record(
        "Judging",
        f"{len(lines)} reports of three systems on the sample shop; claims, support, seven dimensions, pairs in both orders and rules. "
        f"The first judging by `rules-2` ({units} units) took {first:.1f} s, the second, from what is kept, {again:.1f} s.",
    )


def _timed(study: str) -> tuple[str, float]:
    started = time.perf_counter()
    told = _quiet("judge", study, "--judge", "offline", "--quiet")
    seconds = time.perf_counter() - started
    done = next(word for word in told.split(": ")[-1].split(";") if "done now" in word).split()[0]
    return done, seconds


def _quiet(*words: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = drr(words)
    if code:
        raise SystemExit(f"drr {' '.join(words)}: {said.getvalue()}")
    return said.getvalue()


def _reports(shop: Shop, queries: int) -> Iterator[dict[str, Any]]:
    users = shop.store.sample_users(10, seed=1, min_orders=3)
    priced = [product for product in shop.store.iter_products() if product.price is not None]
    for query in range(queries):
        user = shop.store.user(users[query % len(users)])
        assert user is not None
        for place, system in enumerate(("alpha", "beta", "gamma")):
            chosen = [priced[(query * 7 + place * 3 + step * 11) % len(priced)] for step in range(4 + place)]
            lines = [f"# A plan for {user.address.city}", "", "## Picks", ""]
            for number, product in enumerate(chosen, 1):
                lines.append(
                    f"- **{product.title[:60]}** costs ${product.price:.2f} and is rated {product.average_rating} [{number}]."
                )
                lines += [f"- {feature[:120]} [{number}]" for feature in product.features[:1]]
            lines += [
                "",
                "Feeding birds in winter helps survival [8]. However, clean feeders weekly [8].",
                "",
                "## Sources",
                "",
            ]
            lines += [
                f"[{n}] {p.title[:40]}: {shop.shop_url}/{p.product_id}" for n, p in enumerate(chosen, 1)
            ]
            lines.append(f"[8] Care: https://birds.example/care{place}")
            yield {
                "id": f"{system}-{query}",
                "system": system,
                "query": f"Question {query}: plan something for my home under $300",
                "user_id": user.user_id,
                "report_markdown": "\n".join(lines),
                "evidence": [{"url": f"https://birds.example/care{place}", "type": "web", "text": CARE}],
            }


if __name__ == "__main__":
    main()

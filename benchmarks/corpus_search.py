"""The search in the frozen pages of a task of 512k tokens, by words and by vectors. Measured are milliseconds
a question, and what opening takes."""

from __future__ import annotations

import random
import time

import numpy as np
from drr.papers.dr3.corpus_web import CHARS_PER_TOKEN, CorpusWeb
from drr.papers.dr3.form import CorpusPage

from benchmarks.results import machine, record, table

TOKENS, QUESTIONS = 512_000, 400


def corpus() -> list[CorpusPage]:
    """Words as frequent as in prose, pages of some 1,100 tokens."""
    drawn = random.Random(3)
    words = ["".join(drawn.choices("etaoinshrdlucmfwyp", k=drawn.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    found: list[CorpusPage] = []
    size = 0
    while size < TOKENS * CHARS_PER_TOKEN:
        text = " ".join(drawn.choices(words, weights, k=760))
        title = " ".join(drawn.choices(words, k=6))
        found.append(CorpusPage(url=f"https://p{len(found):04}.example/", title=title, text=text))
        size += len(text)
    return found


def main() -> None:
    pages = corpus()
    rows = []
    for dense in (False, True):
        web = CorpusWeb(pages, dense=dense)
        started = time.perf_counter()
        _ = web.index
        opened = time.perf_counter() - started
        drawn, taken = random.Random(5), []
        for _ in range(QUESTIONS):
            query = " ".join(drawn.choices(drawn.choice(pages).text.split(), k=8))
            started = time.perf_counter()
            web.find(query, 5)
            taken.append(1_000 * (time.perf_counter() - started))
        p50, p95 = np.percentile(taken, (50, 95))
        rows.append(
            (
                "dense (offline)" if dense else "bm25",
                len(web.pieces),
                f"{opened:.1f}",
                f"{p50:.2f}",
                f"{p95:.2f}",
            )
        )
    head = ("search", "pieces", "index, s", "p50, ms", "p95, ms")
    record(
        "Frozen pages of 512k tokens",
        f"{machine()}, {len(pages)} pages, {QUESTIONS} questions of eight words (goal: p50 at most 5 ms).\n\n{table(head, rows)}",
    )


if __name__ == "__main__":
    main()

"""A small study judged by the real commands, with calls that fail and judging that stops half-way, and every figure and count
recounted from the ledger."""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.shop import Shop
from drr.eval.agreement.study import stability
from drr.eval.evidence.answers import read_answers
from drr.eval.labels import DIMENSIONS
from drr.eval.metrics.document import equation_2
from drr.eval.stats.faithfulness import JudgedClaim, JudgedClaims
from drr.eval.tasks.judged import Judged
from drr.study.study import Study

from tests.eval import recount
from tests.eval.nursery import Judge, message, sentences
from tests.eval.test_recount import FAITHFULNESS, SCORE, same
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Reply, Request, Say, Wire

PAGES = {"alive": "Feeders need weekly care of many sorts.", "dead": None, "late": "Other words on feeders."}


def number(*words: str) -> int:
    return int(hashlib.sha256("\0".join(words).encode()).hexdigest()[:12], 16)


def lines(rng: random.Random) -> list[dict[str, Any]]:
    sources = [*(f"https://{name}.example/p" for name in PAGES), f"http://ecommerce.example/{FEEDER}"]
    made = []
    for q in range(4):
        for system in ("alpha", "beta", "gamma"):
            for trial in range(rng.choice([0, 1, 1, 2])):
                claims = [
                    f"{system} {q} {trial} says that feeders need care of sort {'abcdef'[i]}"
                    + "".join(f" [{n}]" for n in rng.sample(range(1, 5), rng.choice([0, 1, 2])))
                    for i in range(rng.choice([0, 3, 5]))
                ]
                listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(sources, 1))
                made.append(
                    {
                        "id": f"{system}-{q}-{trial}",
                        "system": system,
                        "query": f"Which feeder, question {q}?",
                        "user_id": ANNA,
                        "trial": trial,
                        "report_markdown": f"# {system} {q} {trial}\n\n"
                        + "\n".join(claims)
                        + f"\n\n{listed}\n",
                        "evidence": [
                            {"url": f"https://{name}.example/p", "type": "web", "text": text}
                            for name, text in PAGES.items()
                        ],
                    }
                )
    return made


def failing(task: str, request: Request) -> Reply | None:
    said = message(request)
    broken = "beta 2" in said if task == "claims" else number(task, said[-300:-60]) % 15 == 0
    return Say("no verdict at all") if broken else None


SCRIPT = Judge(
    claims=sentences,
    support=lambda claim, evidence: ["full_support", "partial_support", "no_support"][number(claim) % 3],
    rating=lambda text: number(text[:30]) % 11,
    winner=lambda a, b: "tie" if number(a, b) % 4 == 0 else "A" if number(a) > number(b) else "B",
    instead=failing,
)


class Ledger:
    """What was judged, read from the records alone."""

    def __init__(self, folder: Path) -> None:
        with Study.open(folder) as study:
            self.answers = {a.key: a for a in read_answers(study)}
            records = list(study.records("judgement", None))
        self.claims: dict[str, Any] = {}
        self.grades: dict[tuple[str, str], int | None] = {}
        self.pairs: dict[tuple[str, str, str], str | None] = {}
        verdicts: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        for record in records:
            fields, result = record.key_fields, record.result if record.done else None
            if fields["task"] == "claims":
                self.claims[fields["answer"]] = result["claims"] if result else None
            elif fields["task"] == "rating":
                self.grades[fields["answer"], fields["dimension"]] = result["rating"] if result else None
            elif fields["task"] == "pairwise":
                winner = result["winner"] if result else None
                self.pairs[fields["first"], fields["second"], fields["dimension"]] = winner
            elif fields["task"] == "support":
                for verdict in result["verdicts"].values() if result else ():
                    if verdict["against"] == "page":
                        here = verdicts[fields["answer"]][verdict["claim_id"]]
                        here[verdict["type"]] = verdict["status"]
        self.cited = {
            key: None
            if claims is None
            else [{t: verdicts[key][c["id"]].get(t) for t in c["types"]} for c in claims]
            for key, claims in self.claims.items()
        }

    def by_query(
        self, variant: str, value: Callable[[str], float | None]
    ) -> tuple[dict[str, list[float | None]], int, int]:
        grouped: dict[str, list[float | None]] = defaultdict(list)
        for key, answer in self.answers.items():
            if answer.variant == variant:
                grouped[answer.query_id].append(value(key))
        every = [x for trials in grouped.values() for x in trials]
        scored = sum(x is not None for x in every)
        return grouped, scored, len(every) - scored


def out(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
@pytest.mark.parametrize("limit", [None, 70])
def test_every_figure_of_a_judged_study(
    limit: int | None, tmp_path: Path, shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "study")
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines(random.Random(1))))
    assert main(["import", folder, str(path), "--shop", shop.spec, "--quiet"]) == 0
    capsys.readouterr()
    with Wire(SCRIPT) as wire:
        model = ["--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url]
        stop = [] if limit is None else ["--limit", str(limit)]
        assert main(["judge", folder, *model, *stop, "--quiet", "--json"]) == 1
    document, ledger = out(capsys), Ledger(tmp_path / "study")
    for variant, metrics in document["metrics"].items():
        for name, of_report in FAITHFULNESS.items():
            if name not in ("fr", "fp_seen"):
                values, n, lost = ledger.by_query(
                    variant,
                    lambda key, f=of_report: None if (c := ledger.cited.get(key)) is None else f(c),  # type: ignore[misc]
                )
                assert same(recount.macro(values), metrics[name]["value"]), name
                assert (n, lost) == (metrics[name]["n"], metrics[name]["n_unscored"]), name
        values, n, lost = ledger.by_query(
            variant,
            lambda key: recount.average([float(bool(c["resolved"])) for c in ledger.claims.get(key) or ()]),
        )
        assert same(recount.macro(values), metrics["fr"]["value"])
        for dimension in DIMENSIONS:
            values, n, lost = ledger.by_query(
                variant,
                lambda key, d=dimension: ledger.grades.get((key, d)),  # type: ignore[misc]
            )
            row = metrics.get(dimension, {"value": None, "n": 0, "n_unscored": n + lost})
            assert same(recount.macro(values), row["value"])
            assert (n, lost) == (row["n"], row["n_unscored"]), "what waits to be judged is unscored"
    seconds = {"first": "b", "second": "a", "tie": "tie", None: None}
    firsts = {"first": "a", "second": "b", "tie": "tie", None: None}
    tests = []
    for row in document["pairwise"]:
        scores: dict[str, list[float | None]] = defaultdict(list)
        outcomes = []
        for (one, two, dimension), winner in ledger.pairs.items():
            a, b = ledger.answers[one], ledger.answers[two]
            back = (two, one, dimension)
            if (a.variant, b.variant, dimension) == (
                row["a"],
                row["b"],
                row["dimension"],
            ):
                outcomes.append(recount.reconcile(firsts[winner], seconds[ledger.pairs.get(back)]))
                scores[a.query_id].append(SCORE.get(outcomes[-1]))
        assert [outcomes.count(x) for x in ("a", "b", "inconsistent", "error")] == [
            row[x] for x in ("wins", "losses", "inconsistent", "errors")
        ]
        assert same(recount.macro(scores), row["win_rate"]["value"])
        means = [recount.average([x for x in trials if x is not None]) for trials in scores.values()]
        tests.append(
            recount.sign_test(
                sum(m is not None and m > 0.5 for m in means), sum(m is not None and m < 0.5 for m in means)
            )
        )
        assert same(tests[-1], row["p_sign"])
    assert [row["p_holm"] for row in document["pairwise"]] == pytest.approx(recount.holm(tests), nan_ok=True)
    assert main(["compare", folder, "alpha", "beta", "--json"]) == 0
    for dimension, row in out(capsys)["metrics"].items():
        if dimension in DIMENSIONS:
            sides = [
                ledger.by_query(v, lambda key, d=dimension: ledger.grades.get((key, d)))[0]  # type: ignore[misc]
                for v in ("alpha", "beta")
            ]
            left, right = ({q: recount.macro({q: t}) for q, t in side.items()} for side in sides)
            both = [q for q in left if left[q] is not None and right.get(q) is not None]
            differences = [left[q] - right[q] for q in both]  # type: ignore[operator]
            assert same(recount.average(differences), row["value"])
            assert (row["n"], row["n_unscored"]) == (len(both), len({*left, *right}) - len(both))
            assert same(recount.sign_flip(differences) if both else None, row["p"])


def test_a_failed_call_is_no_label_of_a_repetition() -> None:
    def told(*statuses: str) -> Judged:
        judged = Judged(None, [])
        judged.support["answer"] = {str(i): {"status": s} for i, s in enumerate(statuses)}
        return judged

    found = stability(
        [
            told("full", "judge_error", "none", "unreachable"),
            told("full", "judge_error", "full", "unreachable"),
        ]
    )
    assert found is not None
    assert [found["support"][k] for k in ("value", "n", "n_dropped")] == [0.5, 2, 2]


def test_equation_2_counts_the_reports_behind_it() -> None:
    claims = [JudgedClaim("1", {"web": "full", "product": "none"})]
    found = equation_2([JudgedClaims("a", 0, claims), JudgedClaims("b", 0, None), JudgedClaims("c", 0, [])])
    assert [found[k] for k in ("value", "n", "n_unscored")] == [0.5, 1, 2]

"""Agreement and calibration on labels of several judges that are turned, repeated, missing and shuffled."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from drr.app.terminal import with_interval
from drr.env.shop import Shop
from drr.eval.agreement.judges import pairwise_agreement
from drr.eval.agreement.people import agreement_among_people, labelled_cases
from drr.eval.agreement.statistics import support_statistics
from drr.eval.agreement.study import stability
from drr.eval.labels import DIMENSIONS, Label, PairwiseLabel, RatingLabel, SupportLabel
from drr.eval.metrics.document import equation_2
from drr.eval.stats.faithfulness import PAPER_TYPES, JudgedClaim, JudgedClaims, corpus_values, split_columns
from drr.eval.tasks.judgements import Judged

from tests.commands import Drr
from tests.eval.nursery import SONNET, Judge, message, sentences
from tests.kept import is_as_kept
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Reply, Request, Say, Wire

MODEL, PEOPLE = "model", ("anna", "ben", "zoe")


def pair(n: int, judge: str, label: Any, *, named: bool = True, **more: Any) -> PairwiseLabel:
    systems = {"system_a": "x", "system_b": "y"} if named else {}
    texts = {"query": f"question {n // 3}", "answer_a": f"a text {n}", "answer_b": f"b text {n}"}
    return PairwiseLabel(id=str(n), judge=judge, label=label, **texts, **systems, **more)


def labels(seed: int, named: bool) -> list[Label]:
    """Labels in any order, pairs any way round."""
    rng = random.Random(seed)
    found: list[Label] = []
    for n, judge in itertools.product(range(14), (MODEL, *PEOPLE)):
        if rng.random() < 0.25:
            continue
        vote = rng.choice(["A", "A", "B", "tie"])
        said = "both_bad" if vote == "tie" and rng.random() < 0.5 else vote
        one = pair(n, judge, said, named=named, dimension="depth")
        found.append(one.turned() if rng.random() < 0.5 else one)
        support: Any = rng.choice(["none", "partial", "full"])
        found.append(SupportLabel(id=str(n), judge=judge, claim=f"c{n}", evidence=f"e{n}", label=support))
        grade = float(rng.choice([0, 4, 5, 5.5, 10]))
        texts = {"query": f"q{n // 3}", "answer": f"a{n}", "dimension": "depth"}
        found.append(RatingLabel(id=str(n), judge=judge, label=grade, **texts))
    rng.shuffle(found)
    return found


@pytest.mark.parametrize(("seed", "named"), [(1, True), (3, False)])
def test_every_figure_of_agreement(seed: int, named: bool) -> None:
    """Of all judges together, and of the first two beside each other."""
    document: dict[str, Any] = {**pairwise_agreement(labels(seed, named), PEOPLE)}
    for task in ("support", "pairwise", "rating"):
        document[task]["pairs"] = document[task]["pairs"][:1]
    is_as_kept(f"agreement-{seed}", document)


@pytest.mark.parametrize("named", [True, False])
def test_whose_label_comes_first_changes_nothing(named: bool) -> None:
    given = labels(5, named)

    def figures(order: list[Label]) -> Any:
        document = pairwise_agreement(order, PEOPLE)
        return [
            {k: v["value"] if isinstance(v, dict) else v for k, v in pair["dimensions"]["depth"].items()}
            for task in ("pairwise", "rating")
            for pair in document[task]["pairs"]
        ]

    other = list(given)
    random.Random(6).shuffle(other)
    for one, two in zip(figures(given), figures(other), strict=True):
        assert one == pytest.approx(two)


def test_two_orders_are_the_same_only_if_their_ties_are() -> None:
    for said, same_order in (("A", False), ("B", False), ("tie", True)):
        found = pairwise_agreement([pair(0, "anna", "tie"), pair(0, "ben", said)])["pairwise"]["pairs"][0]
        assert found["rankings"]["overall"]["same_order"] is same_order


def test_a_calibration_counts_a_turned_pair_once() -> None:
    labels = [pair(1, "anna", "A"), pair(1, "ben", "A").turned(), pair(1, "cleo", "B")]
    (case,) = labelled_cases(labels, "pairwise")
    assert case.consensus() == "A"
    assert [label.judge for label in case.labels] == ["anna", "ben", "cleo"]


@pytest.mark.parametrize(
    ("said", "consensus"),
    [
        ([("anna", "A"), ("anna", "A"), ("ben", "B")], "tie"),
        ([("anna", "A"), ("ben", "B"), ("anna", "B")], "tie"),
        ([("unnamed", "A"), ("unnamed", "A"), ("unnamed", "B")], "A"),
    ],
)
def test_labels_under_one_name_are_all_kept_and_count_as_one_person(
    said: list[tuple[str, str]], consensus: str
) -> None:
    (case,) = labelled_cases([pair(1, judge, label) for judge, label in said], "pairwise")
    assert case.consensus() == consensus


def test_scores_of_several_people_under_one_name_are_averaged() -> None:
    def grade(answer: str, value: float, judge: str = "people") -> RatingLabel:
        return RatingLabel(id=f"{answer}{value}", judge=judge, query="q", answer=answer, label=value)

    found = labelled_cases([grade("x", 2), grade("x", 5), grade("x", 8), grade("y", 1)], "rating")
    assert [case.consensus() for case in found] == [5.0, 1.0]
    assert [(len(case.labels), case.repeated) for case in found] == [(3, 2), (1, 0)]
    (case,) = labelled_cases([grade("x", 2), grade("x", 6), grade("x", 10, "anna")], "rating")
    assert case.by_person() == {"people": 4.0, "anna": 10.0} and case.consensus() == 7.0


def test_where_people_are_divided_deviation_and_bias_are_against_their_mean() -> None:
    """Before, full and partial together were full: a judge midway was said to be half a class too low."""

    def say(judge: str, label: Any) -> SupportLabel:
        return SupportLabel(id="1", judge=judge, claim="c", evidence="e", label=label)

    (case,) = labelled_cases([say("anna", "full"), say("ben", "partial")], "support")
    assert (case.consensus(), case.mean_support()) == ("full", 0.75)
    found = support_statistics(["partial"], [str(case.consensus())], [case.question], [case.mean_support()])
    assert (found["bias"]["value"], found["mad"]["value"]) == (-0.25, 0.25)


def test_intervals_of_support_are_over_questions_where_these_are_known() -> None:
    """Before, over claims: those of one report are alike, and the interval was too narrow."""
    rng = random.Random(3)
    given: list[Label] = []
    for number in range(60):
        query = f"q{number % 6}"
        usual = "full" if number % 6 < 3 else "none"
        for judge in ("anna", "ben"):
            said = usual if rng.random() < 0.8 else "partial"
            one = SupportLabel(
                id=str(number), judge=judge, claim=f"c{number}", evidence="e", query=query, label=said
            )
            given.append(one)
    (pair,) = pairwise_agreement(given)["support"]["pairs"]
    x = [one.label for one in given if isinstance(one, SupportLabel) and one.judge == "anna"]
    y = [one.label for one in given if isinstance(one, SupportLabel) and one.judge == "ben"]
    order = sorted(range(60), key=str)
    expected = support_statistics([x[n] for n in order], [y[n] for n in order], [f"q{n % 6}" for n in order])
    alone = support_statistics(x, y, [str(n) for n in range(60)])
    assert pair["kappa"] == expected["kappa"]
    assert pair["kappa"]["value"] == pytest.approx(alone["kappa"]["value"])
    assert pair["kappa"]["ci_low"] != alone["kappa"]["ci_low"]


def test_people_without_a_name_are_held_beside_each_other() -> None:
    def grade(answer: int, value: float) -> RatingLabel:
        return RatingLabel(id="1", query="q", answer=f"answer {answer}", label=value)

    found = labelled_cases([grade(n, n % 5) for n in range(10) for _ in range(2)], "rating")
    among = agreement_among_people(found, "rating")
    assert among is not None and among["alpha"]["value"] == pytest.approx(1.0)
    assert agreement_among_people(labelled_cases([grade(n, n) for n in range(5)], "rating"), "rating") is None


def test_a_kappa_of_nothing_is_printed_without_a_sign() -> None:
    tiny = {"value": -1e-17, "ci_low": -1e-17, "ci_high": 0.5, "n": 4, "n_unscored": 0}
    assert with_interval(tiny, 2) == "0.00 [0.00, 0.50] n=4"


PAGES = {"alive": "Feeders need weekly care of many sorts.", "dead": None, "late": "Other words on feeders."}


EVIDENCE = [{"url": f"https://{name}.example/p", "type": "web", "text": text} for name, text in PAGES.items()]


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
                row = {"id": f"{system}-{q}-{trial}", "system": system, "trial": trial, "user_id": ANNA}
                row |= {"query": f"Which feeder, question {q}?", "evidence": EVIDENCE}
                said = "\n".join(claims)
                made.append({**row, "report_markdown": f"# {system} {q} {trial}\n\n{said}\n\n{listed}\n"})
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


@pytest.mark.long
@pytest.mark.parametrize("limit", [None, 70])
def test_every_figure_of_a_judged_study(limit: int | None, tmp_path: Path, shop: Shop, drr: Drr) -> None:
    """What waits to be judged is unscored."""
    study, path = tmp_path / "study", tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines(random.Random(1))))
    drr.out("import", study, path, "--shop", shop.spec, "--quiet")
    with Wire(SCRIPT) as wire:
        stop = () if limit is None else ("--limit", limit)
        words = ("judge", study, "--judge", SONNET, "--base-url", wire.url, *stop, "--quiet")
        document = drr.json(*words, code=1)
    chosen = (*corpus_values([]), *DIMENSIONS)
    figures = {v: {name: row.get(name) for name in chosen} for v, row in document["metrics"].items()}
    compared = drr.json("compare", study, "alpha", "beta")["metrics"]
    differences = {name: row for name, row in compared.items() if name in DIMENSIONS}
    is_as_kept(f"study-{limit}", [figures, document["pairwise"], differences])


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
    claims = [JudgedClaim("1", {"web": "full"}), JudgedClaim("2", {"product": "none"})]
    reports = [JudgedClaims("a", 0, claims), JudgedClaims("b", 0, None), JudgedClaims("c", 0, [])]
    values = corpus_values(reports)
    for columns in ({t: values[f"fp_{t}"] for t in PAPER_TYPES}, split_columns(reports)):
        found = equation_2(columns, values["fp"])
        assert [found[k] for k in ("value", "n", "n_unscored")] == [0.5, 1, 2]

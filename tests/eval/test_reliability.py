"""pass^k, sameness and spread over trials, from the estimators to the report and the gate."""

from __future__ import annotations

import json
import random
import shutil
from itertools import combinations
from math import comb
from pathlib import Path

import pytest
from drr.app.report.failing import no_error_text
from drr.env.checkable import Checkable
from drr.env.query import read_queries
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import metric_name, metrics, shown_name
from drr.eval.metrics.gate import requirement
from drr.eval.metrics.reliability import ONE_TRIAL, SOLVED, UNCHECKED
from drr.eval.rewards.answer_forms import AnswerForm
from drr.eval.rewards.components import solved
from drr.eval.rewards.rewarded import Rewarded
from drr.eval.stats.question import AskedQuestion
from drr.eval.stats.repeated import pass_power, repeated_spread, sameness
from drr.study.study import Study

from tests.commands import Drr
from tests.commands import drr as typed
from tests.tampering import rewrite


def test_pass_power_counts_the_sets_of_k_trials_that_are_all_solved() -> None:
    for n in range(1, 7):
        for c in range(n + 1):
            for k in range(1, n + 1):
                sets = list(combinations([True] * c + [False] * (n - c), k))
                assert pass_power(c, n, k) == pytest.approx(sum(map(all, sets)) / len(sets))
    assert pass_power(3, 3, 4) is None


def test_pass_power_is_without_bias() -> None:
    """Over every outcome of five trials, weighed by how likely it is, it comes to p^k."""
    for p in (0.1, 0.5, 0.9):
        for k in (1, 2, 4):
            likely = [comb(5, c) * p**c * (1 - p) ** (5 - c) for c in range(6)]
            mean = sum(weight * (pass_power(c, 5, k) or 0.0) for c, weight in enumerate(likely))
            assert mean == pytest.approx(p**k)


def test_sameness_is_jaccard_over_the_pairs_that_have_anything() -> None:
    a, b, none = frozenset("xy"), frozenset("yz"), frozenset[str]()
    assert sameness([a, b]) == pytest.approx(1 / 3)
    assert sameness([a, a, b]) == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    assert sameness([a, none]) == 0
    assert sameness([none, none]) is None and sameness([a, None]) is None and sameness([a]) is None


def test_spread_is_one_minus_the_intraclass_correlation() -> None:
    """Worked out by hand as in any book: mean squares between and within, here of unequal numbers of trials."""
    values = {"a": [1.0, 2.0, 3.0], "b": [4.0, 6.0], "c": [9.0, 9.0, 8.0, None]}
    found = repeated_spread(values)
    within = (2.0 + 2.0 + 2 / 3) / 5
    whole, sizes, means = 42 / 8, (3, 2, 3), (2.0, 5.0, 26 / 3)
    between = sum(n * (m - whole) ** 2 for n, m in zip(sizes, means, strict=True)) / 2
    usual = (8 - 22 / 8) / 2
    assert found.value == pytest.approx(within / (within + (between - within) / usual))
    assert (found.n, found.n_unscored) == (8, 1)
    assert repeated_spread({"a": [1.0], "b": [2.0]}).value is None
    assert repeated_spread({"a": [1.0, 1.0], "b": [1.0, 1.0]}).value is None
    assert repeated_spread({"a": [1.0, 0.0], "b": [1.0, 0.0], "c": [0.0, 1.0]}).value == 1


def test_spread_covers_what_it_estimates() -> None:
    rng, held = random.Random(4), 0
    for _ in range(60):
        middles = [rng.gauss(0, 1) for _ in range(40)]
        v = repeated_spread({f"q{k}": [rng.gauss(m, 0.5) for _ in range(4)] for k, m in enumerate(middles)})
        assert v.ci_low is not None and v.ci_high is not None
        held += v.ci_low <= 0.2 <= v.ci_high
    assert held >= 52


def test_questions_of_one_task_are_drawn_together() -> None:
    rng = random.Random(1)
    asked = {AskedQuestion(f"q{k}", f"t{k // 4}"): [rng.random(), rng.random()] for k in range(24)}
    assert repeated_spread(asked).tasks == 6


def test_the_gate_understands_the_name_that_people_write() -> None:
    one = requirement("react:pass^4>=0.6")
    assert (one.variant, one.metric, one.sign, one.bound) == ("react", "pass_4", ">=", 0.6)
    assert requirement("pass_judge^2>0").metric == "pass_judge_2"
    for name in metrics():
        assert metric_name(shown_name(name)) == name
    assert requirement("pass^1>=0.2").metric == "solved", "as before it had a name of its own"
    assert [shown_name(name) for name in ("pass_4", "pass_rules_8")] == ["pass^4", "pass^8 by rules"]


def test_solved_promises_the_form_alone() -> None:
    """It said that a solved answer "states nothing wrong", of lies in prose and lists that it never reads."""
    for name in ("solved", "pass_2", "pass_8"):
        told = metrics()[name].explanation
        assert SOLVED in told and told.endswith(UNCHECKED), told
    assert not [one.name for one in metrics().values() if "nothing wrong" in one.explanation]


AGENT = '''
"""Follows the plan of a question and hands in the right form; the others do it less well."""
import json
from collections import Counter
from pathlib import Path

TRUTH = json.loads(Path(__file__).with_name("truth.json").read_text("utf-8"))
asked = Counter()


async def told(query, tools, form, block=True):
    by_name, sources = {tool.name: tool for tool in tools}, {}
    async def look(name, arguments):
        found = await by_name[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": arguments})
        sources.update({one.url: one for one in found.artifact.sources} if found.artifact else {})
        return {one.record["product_id"]: one.url for one in sources.values() if one.type == "product"}

    for step in TRUTH[str(query)]["plan"]:
        urls = await look(step["tool"], step["arguments"])
    for one in form["picks"]:
        if one not in urls and one != "B000000000":
            urls = await look("get_product_details", {"product_id": one})
    rows = [f"- [{one}]({urls[one]})" for one in form["picks"] if one in urls]
    where = TRUTH[str(query)]["sources"]
    figures = [f"- {one['point']}: {one['value']} [it]({where[str(one['point'])]})" for one in form["figures"]]
    refusals = [f"- {one['point']}: {one['reason']}" for one in form["refusals"]]
    lists = {"Picks": rows, "Figures": figures, "Refusals": refusals}
    parts = [f"## {name}\\n\\n" + "\\n".join(lines) + "\\n" for name, lines in lists.items() if lines]
    report = "\\n".join(["# Picks for you\\n\\nAs asked.\\n", *parts, "**Total: $12.00**\\n"])
    return report + (f"\\n```form\\n{json.dumps(form)}\\n```\\n" if block else "")


async def steady(query, tools, model, budget):
    return await told(query, tools, TRUTH[str(query)]["form"])


async def lucky(query, tools, model, budget):
    asked["lucky", str(query)] += 1
    form = TRUTH[str(query)]["form"]
    wrong = {**form, "picks": [*form["picks"][:-1], "B000000000"]}
    return await told(query, tools, form if asked["lucky", str(query)] < 4 else wrong)


async def broken(query, tools, model, budget):
    asked["broken", str(query)] += 1
    if asked["broken", str(query)] == 2:
        raise RuntimeError("a tool of mine broke")
    return await told(query, tools, TRUTH[str(query)]["form"])


async def gone(query, tools, model, budget):
    if str(query) == min(TRUTH):
        raise RuntimeError("it fails here each time")
    return await told(query, tools, TRUTH[str(query)]["form"])


async def bare(query, tools, model, budget):
    return await told(query, tools, TRUTH[str(query)]["form"], block=False)


async def partial(query, tools, model, budget):
    return await told(query, tools, {**TRUTH[str(query)]["form"], "figures": [], "refusals": []})


async def unreadable(query, tools, model, budget):
    return await told(query, tools, {**TRUTH[str(query)]["form"], "answer": "see above"})
'''


def form_of(truth: Checkable) -> dict[str, object]:
    """Fill in the form by the truth."""
    needs = list(enumerate(truth.needs, 1))
    facts = enumerate(truth.facts, len(needs) + 1)
    return {
        "picks": [one for _, need in needs for one in need.products[: need.picks]],
        "figures": [{"point": point, "value": fact.value} for point, fact in facts],
        "refusals": [{"point": point, "reason": need.refusal} for point, need in needs if need.refusal],
    }


AGENTS = ("steady", "lucky", "broken", "gone", "bare", "partial", "unreadable")


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory, sample_home: Path) -> Path:
    """A study of four trials of questions for which something is to be picked."""
    home = tmp_path_factory.mktemp("reliability")
    shop, asked = sample_home / "shop", home / "q.jsonl"
    words = ("queries", "generate", "--checkable", "--count", "12", "--quiet")
    assert typed(*words, "--shop", shop, "--seed", "7", "--out", asked) == 0
    known = [(one.query, one.checkable) for one in read_queries(asked) if one.checkable is not None]
    truth = {
        query: {
            "plan": [step.model_dump() for step in one.plan],
            "form": form_of(one),
            "sources": {point: fact.sources[0] for point, fact in enumerate(one.facts, len(one.needs) + 1)},
        }
        for query, one in known
        if any(need.products for need in one.needs)
    }
    assert len(truth) >= 3 and any(one["form"]["figures"] for one in truth.values())
    lines = asked.read_text("utf-8").splitlines()
    asked.write_text("\n".join(line for line in lines if json.loads(line)["query"] in truth), "utf-8")
    (home / "truth.json").write_text(json.dumps(truth), "utf-8")
    (home / "mine.py").write_text(AGENT, "utf-8")
    names = ",".join(f"{home / 'mine.py'}:{name}" for name in AGENTS)
    run = ("run", home / "study", "--shop", shop, "--queries", asked, "--variants", names)
    assert typed(*run, "--trials", "4", "--quiet") == 1  # one of them fails
    assert typed("judge", home / "study", "--what", "rules", "--quiet") == 0
    return home


@pytest.mark.long
def test_a_study_says_how_often_each_of_k_trials_is_solved(studied: Path, drr: Drr) -> None:
    found = drr.json("report", studied / "study")["metrics"]
    rows = {name.rpartition(":")[2]: row for name, row in found.items()}
    steady, lucky, broken = (rows[name] for name in ("steady", "lucky", "broken"))
    assert steady["solved"]["n"] >= 3
    for row, solved_in in (
        (steady, [1.0] * 4),
        (lucky, [0.75, 0.5, 0.25, 0.0]),
        (broken, [0.75, 0.5, 0.25, 0.0]),
    ):
        names = ("solved", "pass_2", "pass_3", "pass_4")
        assert [row[name]["value"] for name in names] == pytest.approx(solved_in)
    assert "pass_5" not in steady and "pass_judge_1" not in steady
    assert {steady[f"same_{what}"]["value"] for what in ("picks", "citations", "totals")} == {1}
    assert 0 < lucky["same_picks"]["value"] < 1 and lucky["same_totals"]["value"] == 1
    assert broken["same_picks"]["value"] == 1  # of what it said
    assert steady["spread_reward"]["value"] in (0.0, None)
    assert lucky["spread_reward"]["value"] > 0.1
    for row in (steady, lucky):
        low, high = row["pass_4"]["ci_low"], row["pass_4"]["ci_high"]
        assert low <= row["pass_4"]["value"] <= high and low < high


@pytest.mark.long
def test_the_gate_and_the_tables_have_it(studied: Path, tmp_path: Path, drr: Drr) -> None:
    gate = ("study", "gate", studied / "study", "--unanswered", "1")
    rows = drr.json(*gate, "--require", "pass^1>=0.2", "--require", "pass^8>=0.5", "--require", "spread_rules<=1", code=1)["checks"]  # fmt: skip
    by_check = {(Path(row["variant"]).name, row["metric"]): row for row in rows}
    assert by_check["mine.py:steady", "solved"]["holds"]
    assert "`drr run STUDY --trials N`" in by_check["mine.py:steady", "pass_8"]["why"]
    assert "pass^8 >= 0.5" in drr.out(*gate, "--require", "pass^8>=0.5", code=1)
    drr.out("report", studied / "study", "--out", tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    table = page.partition('id="pass"')[2].partition("</section>")[0]
    assert "solved in each of k trials" in table and "pass^4" in table and "Noise floor: not" not in table
    assert "same picks" in page.partition('id="sameness"')[2].partition("</section>")[0]
    assert "topic-reliability" in page
    left = next(name for name in drr.json("report", studied / "study")["metrics"] if name.endswith("steady"))
    compared = drr.json("study", "compare", studied / "study", left, left.replace("steady", "lucky"))
    assert compared["metrics"]["pass_4"]["value"] == 1.0
    assert "pass_4" not in compared["noise"] and "words" in compared["noise"]


@pytest.mark.long
def test_one_trial_says_why_there_is_no_more(
    studied: Path, sample_home: Path, tmp_path: Path, drr: Drr
) -> None:
    words = ("--shop", sample_home / "shop", "--queries", studied / "q.jsonl", "--variants", f"{studied / 'mine.py'}:steady")  # fmt: skip
    assert drr("run", tmp_path / "one", *words, "--quiet")[0] == 0
    (row,) = drr.json("report", tmp_path / "one")["metrics"].values()
    assert row["solved"]["value"] == 1 and "pass_2" not in row
    assert row["same_picks"]["reason"] == ONE_TRIAL
    drr.out("report", tmp_path / "one", "--out", tmp_path / "report")
    assert f"No more than pass^1: {ONE_TRIAL}" in (tmp_path / "report/index.html").read_text("utf-8")


@pytest.mark.long
def test_leaving_the_form_out_solves_nothing_and_no_question_leaves_the_figure(
    studied: Path, tmp_path: Path, drr: Drr
) -> None:
    """Picks alone decided: where a form was wrong, none at all raised pass^4 from 0 of 8 to 1.00 of 5."""
    found = drr.json("report", studied / "study", "--out", tmp_path)["metrics"]
    rows = {name.rpartition(":")[2]: row for name, row in found.items()}
    n = rows["steady"]["pass_4"]["n"]
    for name in ("bare", "unreadable"):
        assert (rows[name]["pass_4"]["value"], rows[name]["pass_4"]["n"]) == (0.0, n)
    assert rows["partial"]["pass_4"]["n"] == n and rows["partial"]["pass_4"]["value"] < 1
    assert rows["steady"]["reward"]["value"] > 0.9, "an honest agent is paid"
    assert rows["bare"]["reward"]["value"] < rows["steady"]["reward"]["value"]
    assert rows["bare"]["reward"]["n"] == rows["steady"]["reward"]["n"]
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "handed in no form" in page and "cannot be read" in page
    with Study.read(studied / "study") as study:
        told = no_error_text(read_judged(study, choose_judging(study)))
    assert told.startswith("Rules found no error in the text. What the form states is wrong in ")


@pytest.mark.long
def test_solved_leads_the_report_and_the_points_rank_the_board(
    studied: Path, tmp_path: Path, drr: Drr
) -> None:
    """The reward led before: what it pays for sources has no part in who is right."""
    study = studied / "study"
    found = drr.json("report", study, "--by", "language", "--out", tmp_path / "page")
    rows = {name.rpartition(":")[2]: row for name, row in found["metrics"].items()}
    for row in rows.values():
        assert 0 <= row["solved"]["value"] <= row["points"]["value"]
        assert row["reward"]["value"] <= row["points"]["value"]
    assert rows["partial"]["points"]["value"] > rows["partial"]["solved"]["value"]
    assert rows["bare"]["points"]["n"] == rows["broken"]["points"]["n"], "a failed trial has no points"
    assert found["standing"]["by"] == "solved"
    assert {row["metric"] for row in found["by"]["rows"]} == {"points", *({"fp"} & {row["metric"] for row in found["by"]["rows"]})}  # fmt: skip
    board = (tmp_path / "page/index.html").read_text("utf-8").partition('id="board"')[2]
    places = [board.index(f'data-of="{one}"') for one in ("share solved", "reward")]
    assert places == sorted(places) and "share of points" not in board.partition("</table>")[0]
    a, b = (f"mine.py:{name}" for name in ("steady", "partial"))
    tested = drr.json("study", "compare", study, a, b)["metrics"]
    assert {"solved", "points", "reward"} <= tested.keys() and "pass_1" not in tested
    three = sorted(tested[name]["p"] for name in ("solved", "points", "reward"))
    assert tested["points"]["p_holm"] <= 3 * three[-1], "corrected among the three, not with pass^k"


@pytest.mark.long
def test_a_study_without_the_truth_says_that_nothing_is_known(
    studied: Path, tmp_path: Path, drr: Drr
) -> None:
    """Figures come from the kept form, report and sources, so studies judged before have them; without the truth none is 0."""
    shutil.copytree(studied / "study", tmp_path / "study")
    file = tmp_path / "study/queries.jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for one in lines:
        one.pop("checkable")
    rewrite(file, "\n".join(map(json.dumps, lines)) + "\n")
    for row in drr.json("report", tmp_path / "study")["metrics"].values():
        assert not {"solved", "points", "reward", "pass_4"} & row.keys()


@pytest.mark.long
def test_a_run_says_before_it_spends_whose_answers_have_no_form(
    studied: Path, sample_home: Path, tmp_path: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = (one for one in drr("run", studied / "study", "--dry-run")[2].splitlines() if "a form" in one)
    assert "mine.py:bare never handed one in" in line and not any(
        name in line for name in ("steady", "unreadable")
    )
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-000000000000")
    asked = ("--shop", sample_home / "shop", "--queries", studied / "q.jsonl", "--dry-run")
    variants = ("--variants", f"react,{studied / 'mine.py'}:steady")
    for model, named in (("offline", "and mine.py:steady may hand none in"), ("anthropic:claude-sonnet-5-5", "and mine.py:steady may hand none in")):  # fmt: skip
        code, _, err = drr("run", tmp_path / "new", *asked, *variants, "--model", model)
        assert code == 0 and named in err


@pytest.mark.long
def test_no_form_and_an_empty_one_solve_nothing(studied: Path) -> None:
    for query in read_queries(studied / "q.jsonl"):
        assert query.checkable is not None
        only_facts = query.model_copy(update={"checkable": query.checkable.model_copy(update={"needs": []})})
        for asked in (query, only_facts) if query.checkable.facts else (query,):
            for form in (None, AnswerForm()):
                assert solved(Rewarded(asked, "nothing", form, [])) == 0


@pytest.mark.long
def test_a_question_that_a_system_always_fails_is_in_its_pairs(
    studied: Path, tmp_path: Path, drr: Drr
) -> None:
    """Pairs left it out, so `compare` and the gate called the two equal where the means differ."""
    study = studied / "study"
    means = {Path(name).name: row["solved"] for name, row in drr.json("report", study)["metrics"].items()}
    n = means["mine.py:gone"]["questions"]
    assert means["mine.py:gone"]["value"] == pytest.approx(1 - 1 / n)
    assert means["mine.py:steady"]["questions"] == n
    compared = drr.json("study", "compare", study, *(f"mine.py:{name}" for name in ("steady", "gone")))
    row = compared["metrics"]["solved"]
    assert (row["n"], row["value"]) == (n, pytest.approx(1 / n))
    gate = ("study", "gate", study, "--unanswered", "1", "--require", "pass^1>=0")
    checks = drr.json(*gate, "--against", "mine.py:steady", code=1)["checks"]
    rows = [one for one in checks if Path(one["variant"]).name == "mine.py:gone"]
    assert any(one["figure"]["value"] == pytest.approx(-1 / n) for one in rows), rows
    with Study.read(study) as known:
        shop = known.config["run"]["shop"]
    alone = tmp_path / "alone"
    words = ("--shop", shop, "--queries", studied / "q.jsonl", "--variants", f"{studied / 'mine.py'}:gone")
    drr("run", alone, *words, "--trials", "2", "--quiet")
    drr.out("judge", alone, "--what", "rules", "--quiet")
    (row,) = drr.json("report", alone, "--out", tmp_path / "page")["metrics"].values()
    assert (row["solved"]["questions"], row["solved"]["value"]) == (n, means["mine.py:gone"]["value"])
    page = (tmp_path / "page/index.html").read_text("utf-8").partition('id="limits"')[2]
    assert "not measured" not in page.partition("<details")[0], "two trials measure it, with one system too"

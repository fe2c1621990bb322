"""A maintainer runs a drawn part of a bundle again: what an agent cannot do twice is contradicted, what it can is signed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drr.app.bundles.findings import Reproduced, one_line_result
from drr.app.bundles.reproduce import _could_show
from drr.app.cli import main
from drr.env.query import read_queries
from drr.eval.stats.question import AskedQuestion

from tests.bundles import forged
from tests.commands import Drr
from tests.once import made_once
from tests.tampering import tampered

pytestmark = pytest.mark.slow
AXES = "products = 240\nusers = 40\nreviews = 2000\nkinds = 8\npages = 6\nquestions = 30\n"
AGENTS = Path(__file__).parent.parent / "stress_agents.py"
KNOWING = r'''
import json
from pathlib import Path

from tests.stress_agents import _called, _report

TRUTH = Path(__file__).with_name("truth.jsonl")


async def agent(query, tools, model, budget):
    """Knows the truth of the questions that it was made for, and nothing else."""
    known = [json.loads(line) for line in TRUTH.read_text().splitlines()]
    needs = [need for one in known if one["query"] == query for need in one["checkable"]["needs"]]
    picks = [need["products"][0] for need in needs if need.get("products")]
    await _called(tools, "get_user_orders", limit=3)
    for one in picks:
        await _called(tools, "get_product_details", product_id=one)
    if not picks:
        return "# Nothing\n\nNothing that I know of fits what you ask for."
    return _report(*({"product_id": one, "url": f"http://ecommerce.example/{one}"} for one in picks))
'''

PICKY = """

async def picky(query, tools, model, budget):
    if sum(query.encode()) % 2:
        raise RuntimeError("too hard for me")
    return await agent(query, tools, model, budget)
"""


def _make(home: Path) -> None:
    (home / "axes.toml").write_text(AXES)
    for name, seed in (("open", 3), ("fresh", 4)):
        assert main(["shop", "make", "--seed", str(seed), "--axes", str(home / "axes.toml"), "--out", str(home / name), "--quiet"]) == 0  # fmt: skip
    (home / "knowing.py").write_text(KNOWING)
    (home / "truth.jsonl").write_text((home / "open" / "queries.jsonl").read_text())
    given = (
        "--shop",
        home / "open/shop",
        "--queries",
        home / "open/queries.jsonl",
        "--sandbox",
        home / "open/web",
    )
    for name, agent in (("fair", f"{AGENTS}:fair"), ("knowing", f"{home}/knowing.py:agent")):
        seen = () if name == "fair" else ("--in-process",)
        words = ("run", home / name, *given, "--variants", agent, *seen, "--model", "offline", "--quiet")
        assert main([str(word) for word in words]) == 0
        assert main(["bundle", "make", str(home / name), "--out", str(home / f"{name}.bundle")]) == 0
    assert main(["bundle", "key", "new", str(home / "my.key")]) == 0
    assert main(["bundle", "key", "new", str(home / "other.key")]) == 0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shops; on the first an agent that picks the best rated, and one that has the truth, with their bundles."""
    return made_once("reproducing", tmp_path_factory, _make)


def _again(home: Path, bundle: Path, agent: str, out: Path, *more: object) -> tuple[object, ...]:
    named = f"{AGENTS}:{agent}" if agent == "fair" else f"{home}/knowing.py:agent"
    seen = () if agent == "fair" else ("--in-process",)
    return (
        "bundle",
        "reproduce",
        bundle,
        "--agent",
        named,
        "--model",
        "offline",
        "--out",
        out,
        "--quiet",
        *seen,
        *more,
    )


def _copy(home: Path, name: str, tmp_path: Path) -> Path:
    return forged(home / f"{name}.bundle", tmp_path / f"{name}.bundle", lambda folder: None)


def test_an_agent_that_does_it_again_is_reproduced_and_signed(home: Path, tmp_path: Path, drr: Drr) -> None:
    bundle, shop = (
        _copy(home, "fair", tmp_path),
        ("--shop", home / "open/shop", "--sandbox", home / "open/web"),
    )
    words = _again(home, bundle, "fair", tmp_path / "again", *shop, "--sample", 15)
    dry = drr.json(*words, "--dry-run", "--seed", 7)
    assert dry["reproduced"] is None and len(dry["questions"]) == 15 and not (tmp_path / "again").exists()
    code, out, err = drr(*words, "--seed", 7, "--with", home / "my.key")
    assert code == 0 and "no worse shown (15 of 30, difference .00 [" in out and "ran beside the truth" in out
    assert "15 questions of 30, drawn with seed 7, show a difference of at most" in err
    document = drr.json("bundle", "verify", bundle)
    (row,) = document["signed"]
    assert row["role"] == "reproducer" and row["reproduced"]["ran"] == 15 and row["reproduced"]["holds"]
    assert not row["known"] and document["bundle"] == dry["bundle"]
    assert "reproducer" in drr.out("bundle", "verify", bundle)
    assert "holds another draw" in drr.err(*words, "--seed", 8)
    assert drr.json(*words)["seed"] == 7, "what ran is not run again"


def test_answers_written_from_the_truth_are_contradicted(home: Path, tmp_path: Path, drr: Drr) -> None:
    """The agent that is named does not write such answers, and nothing in the bundle shows it."""
    bundle, shop = (
        _copy(home, "knowing", tmp_path),
        ("--shop", home / "open/shop", "--sandbox", home / "open/web"),
    )
    assert json.loads(drr("bundle", "verify", bundle, *shop, "--json")[1])["tier"] == "consistent"
    words = _again(home, bundle, "fair", tmp_path / "again", *shop, "--with", home / "my.key", "--seed", 1)
    result = drr.json(*words, code=1)["reproduced"]
    assert not result["holds"] and result["ci_high"] < 0
    assert "not reproduced (30 of 30, difference -." in drr.out("bundle", "verify", bundle)


def test_an_agent_that_reads_the_truth_is_found_on_a_fresh_shop(home: Path, tmp_path: Path, drr: Drr) -> None:
    bundle = _copy(home, "knowing", tmp_path)
    shop = ("--shop", home / "open/shop", "--sandbox", home / "open/web")
    assert drr.json(*_again(home, bundle, "knowing", tmp_path / "same", *shop))["reproduced"]["holds"]
    made = drr.json(*_again(home, bundle, "knowing", tmp_path / "fresh", "--fresh", home / "fresh"), code=1)
    assert made["reproduced"]["fresh"] and not made["reproduced"]["holds"]
    honest = _again(
        home, _copy(home, "fair", tmp_path), "fair", tmp_path / "honest", "--fresh", home / "fresh"
    )
    assert drr.json(*honest)["reproduced"]["holds"]


def test_an_agent_that_answers_nothing_is_not_reproduced(home: Path, tmp_path: Path, drr: Drr) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("async def agent(query, tools, model, budget):\n    return ''\n")
    words = _again(home, home / "knowing.bundle", "fair", tmp_path / "again", "--shop", home / "open/shop")
    words = tuple(f"{silent}:agent" if str(one).endswith(":fair") else one for one in words)
    result = drr.json(*words, code=1)["reproduced"]
    assert result["ran"] == 30 and not result["holds"], "who fails has the worst value"


def test_a_board_shows_what_keys_sign_that_its_owner_names(home: Path, tmp_path: Path, drr: Drr) -> None:
    bundle, shop = (
        _copy(home, "fair", tmp_path),
        ("--shop", home / "open/shop", "--sandbox", home / "open/web"),
    )
    drr.json(*_again(home, bundle, "fair", tmp_path / "again", *shop, "--with", home / "my.key"))
    drr.json("bundle", "sign", bundle, "--with", home / "other.key")

    def site(name: str, keys: object) -> tuple[Any, str]:
        owner = tmp_path / f"{name}.toml"
        owner.write_text(f"keys = {json.dumps(keys)}\n")
        drr.out("board", bundle, "--out", tmp_path / name, "--config", owner, "--quiet", "--without-answers")
        feed = json.loads((tmp_path / name / "index.json").read_text())
        (row,) = feed["sets"][0]["judgings"][0]["systems"]
        pages = (tmp_path / name / "index.html", tmp_path / name / "s" / f"{row['key']}.html")
        return row, "".join(page.read_text() for page in pages)

    row, pages = site("named", [str(home / "my.key.pub")])
    assert [one["ran"] for one in row["reproduced"]] == [30] and "reproduced (30 of 30" in pages
    assert [one.partition(" ")[0] for one in row["signed"]] == ["reproducer"] and "verifier" not in pages
    assert row["contained"] is False and "beside the truth" in pages and "truth is public" in pages
    row, pages = site("nobody", [])
    assert row["reproduced"] == [] and row["signed"] == [] and "reproduced (" not in pages
    (tmp_path / "odd.toml").write_text("key = 1\n")
    assert "odd.toml" in drr.err(
        "board", bundle, "--out", tmp_path / "odd", "--config", tmp_path / "odd.toml"
    )


def test_an_answer_that_failed_counts_zero_in_the_reward_and_in_the_rank(
    home: Path, tmp_path: Path, drr: Drr
) -> None:
    """The mean left it out, so who failed where it is hard was paid for the rest alone."""
    (tmp_path / "two.py").write_text(KNOWING + PICKY)
    (tmp_path / "truth.jsonl").write_text((home / "truth.jsonl").read_text())
    study, agents = tmp_path / "study", f"{tmp_path}/two.py:agent,{tmp_path}/two.py:picky"
    given = ("--shop", home / "open/shop", "--queries", home / "open/queries.jsonl", "--sandbox", home / "open/web")  # fmt: skip
    run = ("run", study, *given, "--variants", agents, "--in-process", "--trials", 2, "--model", "offline")
    assert drr(*run, "--quiet")[0] == 1
    hard = [one for one in read_queries(home / "open/queries.jsonl") if sum(one.query.encode()) % 2]
    assert 5 < len(hard) < 25

    def rewards() -> tuple[Any, Any]:
        rows = drr.json("report", study, "--out", tmp_path / "page")["metrics"]
        return rows["two.py:agent"]["reward"], rows["two.py:picky"]["reward"]

    whole, part = rewards()
    assert (part["n"], part["n_unscored"]) == (whole["n"], 0) == (60, 0)
    assert 0 < part["value"] < whole["value"] * 0.8
    page = (tmp_path / "page" / "index.html").read_text()
    assert f"{2 * len(hard)} answers of two.py:picky failed" in page and "count 0 in the reward" in page
    tested = drr.json("study", "compare", study, "two.py:agent", "two.py:picky")["metrics"]["reward"]
    assert tested["value"] == pytest.approx(whole["value"] - part["value"]) and tested["n"] == 30
    drr.out("bundle", "make", study, "--out", tmp_path / "both.bundle")
    drr.out("board", tmp_path / "both.bundle", "--out", tmp_path / "site", "--quiet", "--without-answers")
    (judging,) = json.loads((tmp_path / "site/index.json").read_text())["sets"][0]["judgings"]
    assert {one["variant"]: one["rank"] for one in judging["systems"]} == {"two.py:agent": 1, "two.py:picky": 2}  # fmt: skip
    for change, unscored in (
        ("status = 'over_budget', reason = 'unit_cap'", 0),
        ("transient = 1", 2 * len(hard)),
    ):
        with tampered(study / "ledger.sqlite") as db:
            db.execute(f"UPDATE records SET {change} WHERE status != 'done'")
        _, again = rewards()
        assert again["n_unscored"] == unscored, "what is not finished yet stands beside"
        assert unscored or again["value"] == part["value"], "what went over its own limit failed, too"


def test_what_cannot_be_compared_is_misuse(home: Path, tmp_path: Path, drr: Drr) -> None:
    words = _again(home, home / "fair.bundle", "fair", tmp_path / "again", "--shop", home / "open/shop")
    for more, told in (
        (("--sample", 9), "9 of 30 questions show hardly any difference; at least 10"),
        (("--variant", "react"), "name one system of the bundle: stress_agents.py:fair"),
        (("--by", "overall"), "has no figure of overall"),
    ):
        assert told in drr.err(*words, *more)
    assert not (tmp_path / "again").exists()
    told = drr.out("bundle", "reproduce", "--help")
    assert all(needed in told for needed in ("at least 10 questions", "--variant names", "--model-judge"))


def test_a_difference_that_can_be_shown_shrinks_with_trials_and_questions() -> None:
    def could_show(trials: int, size: int) -> tuple[float | None, bool]:
        values = {
            AskedQuestion(f"q{n}", f"q{n}"): [(n % 5) / 5 + 0.1 * (t % 2) for t in range(trials)]
            for n in range(100)
        }
        return _could_show(values, size, fresh=False)

    (alone, bound), (four, known), (wide, _) = could_show(1, 20), could_show(4, 20), could_show(1, 80)
    assert bound and not known and alone and four and wide
    assert four < wide < alone < 0.3


def test_a_badge_says_its_numbers() -> None:
    row = Reproduced(variant="v", metric="reward", ran=20, asked=300, seed=1, fresh=False, contained=True, difference=-0.01,
                     ci_low=-0.06, ci_high=0.04, could_show=0.1, holds=True)  # fmt: skip
    assert one_line_result(row) == "no worse shown (20 of 300, difference -.01 [-.06, .04])"
    assert one_line_result({**row, "ran": 30}).startswith("reproduced (30 of 300, ")
    assert one_line_result(
        {**row, "holds": False, "fresh": True, "difference": -1.0, "ci_low": None, "ci_high": None}
    ) == ("not reproduced (20 fresh, difference -1.00)")


def test_questions_of_the_fixture_are_checkable(home: Path) -> None:
    assert all(one.checkable for one in read_queries(home / "open/queries.jsonl"))

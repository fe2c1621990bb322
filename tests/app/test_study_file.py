"""`drr run study.yaml`: one file says what a study asks for, is written by `--save-config`, and names what is wrong in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import resolve
from drr.env.shop import open_shop
from drr.env.small_files import DEEPEST, SETTINGS, read_yaml
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr

GIVEN = "--variants react,react+ws --trials 2 --limits steps=5 --citation-repair remove --web-top-k 3 --no-references --budget-tokens 900000"


@pytest.fixture
def here(sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop").symlink_to(sample_home / "shop")
    with open_shop("shop", resolve({}, environ={}).settings) as shop:
        user = shop.store.sample_users(1, seed=1, min_orders=5)[0]
    (tmp_path / "queries.jsonl").write_text(json.dumps({"query": "a bird feeder", "user_id": user}) + "\n")
    return tmp_path


def keys(study: Path) -> set[str]:
    with Study.read(study) as opened:
        return {one.key for one in opened.ledger.units.standings()}


def run(*words: object) -> int:
    return main(["run", *map(str, words), "--quiet"])


@pytest.mark.parametrize("ending", ["yaml", "toml"])
def test_a_saved_file_keeps_keys(here: Path, ending: str, monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    given = ["--shop", "shop", "--queries", "queries.jsonl", *GIVEN.split()]
    before, after = here / f"before.{ending}", here / f"after.{ending}"
    assert run("study", *given, "--save-config", before) == 0
    assert not (here / "study").exists()
    assert run("study", *given, "--limit", 1) == 0
    assert run("study", "--save-config", after) == 0
    for number, file in enumerate((before, after)):
        text = file.read_text("utf-8")
        assert "react+ws" in text and "steps" in text and "900000" in text
        other = here / f"other{number}.{ending}"
        other.write_text(text.replace("study: study", f"study: s{number}").replace('"study"', f'"s{number}"'))
        (here / "elsewhere").mkdir(exist_ok=True)
        with monkeypatch.context() as patch:
            patch.chdir(here / "elsewhere")  # paths are seen from the file
            patch.setenv("DRR_WEB_TOP_K", "9")
            assert run(other, "--limit", 1) == 0
        assert keys(here / f"s{number}") == keys(here / "study") and len(keys(here / "study")) == 4
    assert drr.json("run", after, "--quiet", "--limit", 1)["units"]["total"] == 4


def test_the_command_line_wins_over_the_file_and_each_of_its_judges_judges(here: Path, drr: Drr) -> None:
    (here / "my.yaml").write_text(
        "shop: shop\nqueries: queries.jsonl\nvariants: [react, react+ws]\ntrials: 3\nmodels: {agent: offline, judge: offline}\n"
        "judges: [offline]\nbudget: {tokens: 500000, per_unit: 2}\nreferences: no\nlimits: {steps: 4}\n",
        "utf-8",
    )
    assert drr.json("run", "my.yaml", "--variants", "react", "--trials", "1", "--dry-run")["units"] == 1
    assert run("my.yaml", "--variants", "react", "--trials", "1") == 0
    assert (here / "my" / "study.toml").is_file()
    assert 'model_judge = "offline"' in (here / "my" / "study.toml").read_text("utf-8")
    assert drr.json("study", "status", "my.yaml")["units"]["done"] == 1
    assert drr.json("judge", "my.yaml", "--what", "rules", "--quiet")["run"]["left"] == 0
    (here / "my.yaml").write_text(
        "shop: shop\nqueries: queries.jsonl\nvariants: react\njudges: [offline, offline]\n", "utf-8"
    )
    assert run("my.yaml") == 0
    assert drr.err("judge", "my.yaml", "--what", "rules", "--quiet", code=0).count("nothing left") == 2
    assert "name one of its judges with --judge" in drr.err("judge", "my.yaml", "--json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *cases("app", "test_what_is_wrong_in_a_file_is_misuse_in_one_line"),
        ("[" * 100_000, f"more than {DEEPEST} lists"),
        ("#" * (SETTINGS + 1), "holds more than"),
    ],
)
def test_what_is_wrong_in_a_file_is_misuse_in_one_line(text: str, said: str, here: Path, drr: Drr) -> None:
    (here / "agent.py").write_text("raise SystemExit('it ran')\n", "utf-8")
    (here / "theirs").mkdir()
    (here / "my.yaml").write_text(text, "utf-8")
    code, out, err = drr("run", "my.yaml", "--quiet")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (here / "my").exists()


def test_a_toml_file_names_line_and_key_too_and_yaml_is_plain_words(here: Path, drr: Drr) -> None:
    for text, said in (
        ('shop = "shop"\nqueris = "q"\n', "my.toml:2: queris: no such key; did you mean queries?"),
        ("[budget]\ndollars = 3\n", "my.toml:2: budget.dollars: no such key"),
        ("trials = 1.5\n", "my.toml:1: trials: '1.5' is not a whole number"),
        ("shop = \n", "not TOML"),
    ):
        (here / "my.toml").write_text(text, "utf-8")
        assert said in drr.err("run", "my.toml", "--quiet")
    assert "none.yaml: cannot be read" in drr.err("run", "none.yaml", "--quiet")
    given = ("run", "study", "--shop", "shop", "--queries", "queries.jsonl", "--quiet", "--save-config")
    drr.err(*given, "study.ini")
    assert "cannot be written" in drr.err(*given, "none/study.yaml")
    file = here / "a.yaml"
    file.write_text("a: no\nb: 1:30\nc: 2024-02-29\nd: !!python/object/apply:os.getcwd []\ne:\n", "utf-8")
    assert read_yaml(file).values == {"a": "no", "b": "1:30", "c": "2024-02-29", "d": [], "e": ""}
    assert read_yaml(file).lines["c"] == 3

"""A study and a bundle of talks made by 0.3.0 open with their kept figures; nothing of them is paid, asked or judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.bundles.findings import differing_values

from tests.commands import Drr
from tests.kept import unpack_kept

SAID = "Its questions are talks with a shopper, given up, last at v0.3.0: it can be read, and nothing is paid again."
PAID = {"state", "policy", "says_does", "reward", "solved"}
"""What code paid for a talk. A study keeps none of it; its bundle does."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    unpack_kept("talks", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_study_of_talks_opens_with_the_figures_that_it_keeps(home: Path, drr: Drr, name: str) -> None:
    stated, document = json.loads((home / f"{name}.json").read_text())["metrics"], drr.json("report", name)
    assert SAID in document["banner"] and SAID in drr.out("study", "status", name)
    kept = {metric: row for metric, row in stated["react"].items() if metric not in PAID}
    assert document["metrics"]["react"].keys() == kept.keys() and len(kept) > 60
    assert list(differing_values(kept, document["metrics"]["react"])) == []
    drr.out("report", name, "--out", "report")
    drr.out("view", name, "--static", "pages")
    assert SAID in (home / "report" / "index.html").read_text("utf-8")
    (page, *_) = sorted((home / "pages" / "r").glob("*.html"))
    assert 'id="report"' in page.read_text("utf-8"), "a talk's answer is shown as any other"


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_bundle_of_talks_holds_and_names_what_is_not_made_again(home: Path, drr: Drr, name: str) -> None:
    found = drr.json("bundle", "verify", f"{name}.bundle")
    assert found["holds"], found["failed"]
    (figures,) = [one["what"] for one in found["not_checked"] if one["check"] == "figures"]
    assert all(metric in figures.partition("gone are")[2] for metric in PAID)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("judge", "one", "--renew"), "Talks were given up, last at v0.3.0"),
        (("run", "new", "--queries", "two/queries.jsonl", "--variants", "react"), "Talks were given up"),
        (("queries", "check", "one/queries.jsonl"), "Talks were given up"),
        (("judges", "regrade", "one"), "no finished answer to a question that code can check"),
    ],
)
def test_nothing_of_a_talk_is_asked_judged_or_paid(
    home: Path, drr: Drr, sample_home: Path, words: tuple[str, ...], said: str
) -> None:
    shop = () if words[0] == "judge" or "regrade" in words else ("--shop", str(sample_home / "shop"))
    assert said in drr.err(*words, *shop, code=2)

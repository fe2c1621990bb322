"""A shop, a study and a bundle of the version before open: their figures are made again, and those that differ are named."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from drr.app.bundles.findings import differing_values
from drr.study.bundle.parcel import unpacked

from tests.bundles import edit_rows, forged, rows
from tests.commands import Drr

pytestmark = pytest.mark.slow

MADE = Path(__file__).parent.parent / "data" / "v0.2.0" / "made.tar.xz"
NEW, GONE = {"fp_absent", "fp_split", "points", "solved"}, {"pass_1"}
"""Figures that a study of 0.2.0 has since then, and those that have another name."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with tarfile.open(MADE) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


def _stated(home: Path) -> Any:
    """The figures as 0.2.0 wrote them into the bundle."""
    with unpacked(home / "study.bundle") as parcel:
        return rows(parcel.folder, "figures.json")[0]["documents"]["rules-2"]


def test_its_shop_opens(home: Path, drr: Drr) -> None:
    shop, made = home / "made" / "shop", json.loads((home / "made" / "made.json").read_text())
    info = drr.json("shop", "info", shop)
    assert (info["content_hash"], info["counts"]["products"]) == (made["shop"], 24)
    assert "fit together" in drr.out("shop", "check", shop)
    found = drr.json("shop", "search", shop, "hand cream")
    assert found


def test_its_study_opens_with_its_figures(home: Path, drr: Drr) -> None:
    """No figure changed: some are new, and one got another name."""
    document, stated = drr.json("report", home / "study"), _stated(home)
    for variant, figures in stated["metrics"].items():
        now = document["metrics"][variant]
        assert (now.keys() - figures.keys(), figures.keys() - now.keys()) == (NEW, GONE)
        kept = {name: now[name] for name in figures if name in now}
        assert list(differing_values({name: figures[name] for name in kept}, kept)) == []
        assert now["solved"]["value"] == figures["pass_1"]["value"]
    assert list(differing_values(stated["pairwise"], document["pairwise"])) == []
    assert "6 reports were checked by rules of another version" in document["banner"]


def test_its_study_is_judged_by_the_rules_of_today(home: Path, drr: Drr) -> None:
    study, shop = home / "study", home / "made" / "shop"
    drr.out("judge", study, "--shop", shop, "--what", "rules", "--quiet")
    assert "rules of another version" not in str(drr.json("report", study)["banner"])
    again = drr.json("report", study, "--judge", "rules-2")
    assert again["metrics"]["react"]["fp"] == _stated(home)["metrics"]["react"]["fp"]


def test_its_bundle_holds_and_each_figure_that_differs_is_named(home: Path, drr: Drr) -> None:
    """It was told that twelve figures differ, and of one of them how: a notice, cut where it was the same."""
    found = drr.json("bundle", "verify", home / "study.bundle", "--shop", home / "made" / "shop")
    assert found["holds"], found["failed"]
    (said,) = [one["what"] for one in found["not_checked"] if one["check"] == "figures"]
    assert said.startswith("by deepresearch-retail 0.2.0 (")
    assert said.endswith(f": new are {', '.join(sorted(NEW | {'standing'}))}; gone are {', '.join(GONE)}")

    def edit(lines: list[Any]) -> None:
        lines[0]["documents"]["rules-2"]["metrics"]["react"]["fr"]["value"] -= 0.1

    other = drr.json(
        "bundle", "verify", forged(home / "study.bundle", home / "other", edit_rows("figures.json", edit))
    )
    assert other["holds"] and any("): other are fr; new are " in one["what"] for one in other["not_checked"])


def test_its_bundle_stands_on_a_board(home: Path, drr: Drr) -> None:
    drr.out("board", home / "study.bundle", "--out", home / "site", "--quiet", "--without-answers")
    (ranked,) = json.loads((home / "site" / "index.json").read_text())["sets"]
    assert {one["variant"] for each in ranked["judgings"] for one in each["systems"]} == {"react", "react+ws"}

"""What commands print for people keeps to a terminal of 80 columns; commands to copy and documents stay as they are."""

from __future__ import annotations

import json
import re
import shlex
import sys
from io import StringIO
from pathlib import Path

import pytest
from drr.app.cli import main

from tests.app.test_terminal import Terminal
from tests.cases import cases
from tests.command_lines import every_leaf
from tests.commands import Drr

pytestmark = pytest.mark.long

LINES = """\
shop info shop
shop users shop
shop search shop "quiet dog nail grinder" --max-price 40
shop show shop user USER
shop show shop product PRODUCT
shop check shop
tools list
study status study
study trace study
study trace study UNIT
report --explain
report study --out report
study compare study react react+ws
study gate study --require fp>=0.8 --against react
judges agreement study
judge study --dry-run
judge study
variants
env settings
env doctor
judges plan study --half-width 0.1
study export study --out out
papers criteria study
judges check report.md --shop shop --user USER
shop profile --shop shop --user USER
queries stats queries.jsonl --shop shop --against queries.jsonl
queries check queries.jsonl --shop shop
papers persons build --shop shop --out persons.jsonl --users 2
papers persons show persons.jsonl
papers persons check persons.jsonl --shop shop
papers persons stats persons.jsonl
papers context build persons.jsonl --shop shop --tokens 1k --out contexts
papers context check contexts
papers tasks build --shop shop --out tasks.jsonl --n 3
papers tasks show tasks.jsonl
papers tasks check tasks.jsonl --shop shop
papers tasks drawer --out drawers --n 1 --sizes 32k
papers tasks check drawers
papers tasks show drawers
papers tasks show drawers/001
papers tasks pairs tasks.jsonl persons.jsonl --per-task 2 --out pairs.jsonl
web search "bird feeder"
run new --shop shop --queries queries.jsonl --variants react --dry-run
papers reproduce --paper reporteval --queries queries.jsonl --shop shop --dry-run --out again
"""
TO_COPY = re.compile(r"^(next: |(done|to do): \$ |\$ )drr |https?://\S{60}|^ask for one: ")
OTHERS = {
    "tools mcp": "speaks the protocol",
    "demo": "shows people the commands that it runs",
    "env completion": "prints a script",
    "queries review": "talks with a person",
    "papers tasks review": "talks with a person",
}


@pytest.fixture(scope="module")
def words(judged_study: Path) -> dict[str, str]:
    home = judged_study.parent
    shop, study = home / "shop", judged_study
    user = json.loads((home / "queries.jsonl").read_text("utf-8").splitlines()[0])["user_id"]
    out = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        assert main(["shop", "search", str(shop), "feeder", "--json"]) == 0
        found = json.loads(out.getvalue())["items"][0]["product_id"]
        out.truncate(0), out.seek(0)
        assert main(["study", "trace", str(study), "--json"]) == 0
        units = json.loads(out.getvalue())["units"]
    unit = next(one["key"] for one in units if one["kind"] == "answer")
    return {"USER": user, "PRODUCT": found, "UNIT": unit}


def test_no_line_for_people_is_longer_than_a_terminal(
    judged_study: Path, words: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = judged_study.parent
    for name in ("shop", "queries.jsonl", "study"):
        (tmp_path / name).symlink_to(home / name)
    (tmp_path / "report.md").write_text(
        "# Feeder\n\nIt costs $9 [1].\n\n## Sources\n\n[1] X: http://ecommerce.example/product/B0\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    wrong = []
    for line in LINES.splitlines():
        told, complaint = Terminal(), StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", told)
            patch.setattr(sys, "stderr", complaint)
            code = main([words.get(word, word) for word in shlex.split(line)])
        if code == 2 or "Traceback" in complaint.getvalue():
            wrong.append(f"{line}: {complaint.getvalue()}")
        for_people = told.getvalue().partition("\n--- report ---")[0]
        wide = [one for one in for_people.splitlines() if len(one) > 80 and not TO_COPY.search(one)]
        wrong += [f"{line}: {one}" for one in wide[:2]]
    assert not wrong, "\n".join(wrong)


def test_every_command_that_prints_or_writes_knows_json() -> None:
    known = {leaf: parser._option_string_actions for leaf, parser in every_leaf()}
    assert {leaf for leaf, options in known.items() if "--json" not in options} == OTHERS.keys()


@pytest.mark.parametrize("line", cases("app", "test_what_writes_says_what_it_wrote"))
def test_what_writes_says_what_it_wrote(
    judged_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, drr: Drr
) -> None:
    home = judged_study.parent
    for name in ("shop", "queries.jsonl"):
        (tmp_path / name).symlink_to(home / name)
    import shutil

    monkeypatch.chdir(tmp_path)
    if "annotate" in line:
        shutil.copytree(home / "study", "study")
    if "few" in line:
        drr.out(
            "papers", "persons", "build", "--shop", "shop", "--out", "few.jsonl", "--users", "1", "--quiet"
        )
    document = drr.json(*shlex.split(line))
    written = [document.get("file"), *document.get("files", ()), *document.get("bundles", {})]
    assert all(Path(one).is_file() for one in written if one)

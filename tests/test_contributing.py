"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the house."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from drr.env.settings import Settings

from tests.commands import python
from tests.sources import SRC
from tests.tools.small_shop import ANNA, FEEDER, write_shop

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^```(?P<language>python|toml|diff)(?: (?P<path>\S+))?\n(?P<body>.*?)^```$", re.M | re.S)
CALLED = """
import json, sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tone"]
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in getattr(one, "__module__", "")]
import drr
assert drr.__file__.startswith(sys.argv[1]), drr.__file__
from drr.app.cli import main
sys.exit(main(json.loads(sys.argv[2])))
"""


def follow(house: Path, elsewhere: Path) -> None:
    """Write every file and add every line; a name with a folder of the house lies there, others beside it."""
    for block in FENCE.finditer((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        if block["language"] == "diff":
            named, before, *added = block["body"].splitlines()
            place, line = house / named.removeprefix("--- "), f"{before[1:]}\n"
            text = place.read_text(encoding="utf-8")
            assert text.count(line) >= 1, f"{place}: has no line {line!r}"
            more = "".join(f"{one[1:]}\n" for one in added)
            place.write_text(text.replace(line, line + more, 1), encoding="utf-8")
        elif block["path"]:
            first = block["path"].split("/")[0]
            place = (house if (SRC / first / "__init__.py").is_file() else elsewhere) / block["path"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block["body"], encoding="utf-8")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contributed")
    shutil.copytree(SRC, folder / "drr", ignore=shutil.ignore_patterns("__pycache__"))
    follow(folder / "drr", folder)
    told = folder / "tone" / "tone_paper-1.dist-info"  # as `pip install` would leave it
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: tone-paper\nVersion: 1\n", encoding="utf-8")
    points = tomllib.loads((folder / "tone" / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [f"[{group}]\n{name} = {place}\n" for group, row in points.items() for name, place in row.items()]
    (told / "entry_points.txt").write_text("".join(lines), encoding="utf-8")
    write_shop(str(folder / "shop"), Settings())
    return folder


CITING = """
async def answer(query, tools, model, budget):
    by_name = {{tool.name: tool for tool in tools}}
    found = await by_name["get_warranty"].ainvoke({{"product_id": "{product}"}})
    return "# Answer\\n\\nThe warranty of the feeder [lasts 24 months](manual://{product}).\\n"
"""


def drr(house: Path, *words: str) -> str:
    done = python(CALLED, house, json.dumps(words), cwd=house)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_tool_is_called(house: Path) -> None:
    given = ("--shop", "shop", "--user", ANNA, "--args", f'{{"product_id": "{FEEDER}"}}')
    assert "lasts 24 months" in drr(house, "tools", "call", "get_warranty", *given)


def test_the_rule_finds_an_id_that_no_product_has(house: Path) -> None:
    (house / "told.md").write_text(f"The feeder {FEEDER}, not B0ZZZZZZZZ.\n", encoding="utf-8")
    done = python(
        CALLED, house, json.dumps(["judges", "check", "told.md", "--shop", "shop", "--json"]), cwd=house
    )
    assert done.returncode == 1, done.stderr  # a rule found a fault
    found = json.loads(done.stdout)["rules"]["known_ids"]
    assert found["status"] == "fail" and found["evidence"] == ["the shop has no product B0ZZZZZZZZ"]


def test_variant_metric_paper_and_page_are_in_the_report(house: Path) -> None:
    asked = house / "queries.jsonl"
    asked.write_text(f'{{"query": "Which feeder holds most?", "user_id": "{ANNA}"}}\n', encoding="utf-8")
    first = ("--shop", "shop", "--queries", "queries.jsonl", "--variants", "my_agent.py:answer")
    drr(house, "run", "mine", *first, "--quiet")
    (house / "citing.py").write_text(CITING.format(product=FEEDER), encoding="utf-8")
    drr(house, "run", "mine", "--variants", "citing.py:answer", "--quiet")
    drr(house, "judge", "mine", "--judge", "offline", "--quiet")
    drr(house, "report", "mine", "--out", "report")
    page = (house / "report" / "index.html").read_text(encoding="utf-8")
    assert "Tone of voice" in page and "Calm" in page
    drr(house, "view", "mine", "--static", "pages")
    index = (house / "pages" / "index.html").read_text(encoding="utf-8")
    assert "Questions with an exclamation mark: 0." in index
    figures = json.loads(drr(house, "report", "mine", "--json"))["metrics"]
    assert {"tone_shouts", "calm_stops"} <= set(figures["my_agent.py:answer"])
    assert figures["citing.py:answer"]["n_cited_manual"]["value"] == 1
    assert figures["citing.py:answer"]["fp_manual"]["value"] == 1


def test_the_command_of_the_paper_greets(house: Path) -> None:
    assert drr(house, "papers", "tone", "Ada") == "hello Ada\n"

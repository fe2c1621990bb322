"""What the documents promise: their command lines are understood, their modules and files exist, their examples run."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import drr
import pytest
import yaml
from drr.app.cli import main
from drr.app.commands.parser import parser_of
from drr.app.commands.table import commands, find_command
from drr.env.errors import Misuse
from drr.env.setting_sources import VARIABLES
from drr.env.settings import Settings
from drr.eval.metrics import metrics
from drr.tools.registry import EVERY, TOOLS

from tests.agents.garden import ANNA, write_shop
from tests.command_lines import every_leaf, parsed
from tests.sources import FOLDERS, ROOT, SRC

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
TO_BE_WRITTEN = {
    *(
        "drr.env.clips", "drr.env.manuals", "drr.tools.warranty", "drr.eval.metrics.tone",
        "eval/metrics/tone.py", "env/manuals.py", "tools/warranty.py", "drr papers tone",
    ),
    *("path/file.py", "path/to/file.py"),
}  # fmt: skip
"""What the recipes tell a reader to write."""


def _blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, name of a file, text."""
    return re.findall(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def fenced(page: Path, language: str) -> list[str]:
    return [block for said, name, block in _blocks(page) if said == language and not name]


def files_of(page: Path) -> dict[str, str]:
    """Files that a page shows, by the name at their head."""
    return {name: block for _, name, block in _blocks(page) if name}


@cache
def command_lines() -> list[tuple[str, str]]:
    """Each command of a block with its page; `info|search` is several, and what the recipes add is none of ours yet."""
    found = []
    for page in PAGES:
        for block in fenced(page, ""):
            for line in re.split(r"&&|;|\n", block.replace("\\\n", " ")):
                command = line.strip()
                is_recipe = any(command.startswith(f"{one} ") for one in TO_BE_WRITTEN)
                if command.startswith("drr ") and "|" not in command and not is_recipe:
                    found.append((page.name, command))
    return found


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for below in action.choices.values() for option in options_of(below)}
    return found


def test_commands_of_the_documents_and_of_help_exist() -> None:
    """Within double quotes a shell makes of `$40` an empty word and a zero."""
    helps = [
        (name, line.strip())
        for name, parser in ((row.name, parser_of(row)) for row in commands())
        for line in (parser.epilog or "").replace("\\\n", " ").splitlines()
        if line.strip().startswith("drr ") and "&&" not in line
    ]
    lines = [*command_lines(), *helps]
    assert len(lines) > 100 and len(helps) > 50
    for place, line in lines:
        assert not re.search(r'"[^"\']*\$\d[^"]*"', line), f"{place}: {line}"
        try:
            parsed(shlex.split(line, comments=True)[1:])
        except (SystemExit, AssertionError, Misuse) as error:
            pytest.fail(f"{place}: {line}: {error}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_within_sentences_exist(page: Path) -> None:
    """They may leave out what is plain: the name and the options are looked up."""
    for command in re.findall(r"`drr ([a-z]+(?: [^`]+)?)`", page.read_text(encoding="utf-8")):
        found = find_command([word for word in command.split() if word != "help"])
        assert found is not None and not found.old, command
        options = {*re.findall(r"(?<![\w-])--[a-z][a-z-]*", command)}
        assert options <= options_of(parser_of(found.command)), command


def test_fields_of_data_are_those_of_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_shop(str(tmp_path / "shop"), Settings())
    calls: dict[str, dict[str, object]] = {
        "product_catalog_search": {"query": "bird"},
        "get_user_orders": {},
        "get_user_profile": {},
        "update_user_profile": {"city": "Norman"},
        "get_user_statistics": {},
        "web_search": {"query": "birds in winter"},
        "calculator": {"expression": "1+1"},
    }

    def data_of(name: str, given: dict[str, object]) -> dict[str, Any]:
        words = ["tools", "call", name, "--shop", str(tmp_path / "shop"), "--user", ANNA]
        assert main([*words, "--args", json.dumps(given), "--json"]) == 0
        return dict(json.loads(capsys.readouterr().out)["data"])

    found = {name: data_of(name, given) for name, given in calls.items()}
    order = found["get_user_orders"]["items"][0]
    for name, key in (("get_product_details", "product_id"), ("get_order_details", "order_id")):
        found[name] = data_of(name, {key: order[key]})
    assert found.keys() == TOOLS.keys()
    for name, data in found.items():
        fields = {field.strip("`") for field, _ in GENERATE["data_fields"](GENERATE["DATA"][name])}
        fields = {field for field in fields if field.rpartition(".")[2] not in ("sent_to", "sold_as")}
        assert {*data} - {"_id"} == {field for field in fields if "." not in field}, name
        listed = {field for field in fields if field.startswith("items[]")}
        assert not listed or {f"items[].{one}" for one in data["items"][0]} == listed


def is_there(word: str) -> bool:
    parent, _, last = word.rpartition(".")
    if {word, parent} & {*TO_BE_WRITTEN, "drr.toml", "drr.variants", "drr.papers"}:
        return True
    try:
        return hasattr(import_module(parent), last) or bool(import_module(word))
    except ModuleNotFoundError as error:  # a door may lean on a package that is not here
        return not (error.name or "drr").startswith("drr")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_files_and_links_of_the_documents_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    nodes = (node for block in fenced(page, "python") for node in ast.walk(ast.parse(block)))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    for node in imports:
        assert node.module and node.module.split(".")[0] not in FOLDERS, "it is not installed under that name"
        module = import_module(node.module)
        assert [one.name for one in node.names if not hasattr(module, one.name)] == [], node.module
    dotted = re.findall(r"\bdrr(?:\.[a-z_0-9]+)+(?:\.\w+)?", text)
    assert [word for word in dotted if not is_there(word)] == []
    rooms = "|".join([*FOLDERS, "docs", "tests", "benchmarks"])
    named = {*re.findall(rf"`((?:{rooms})/[\w/]*(?:\.(?:py|md|toml|jsonl))?)`", text)} - TO_BE_WRITTEN
    assert [name for name in named if not any((place / name).exists() for place in (SRC, ROOT))] == []
    assert [link[0] for link in GENERATE["LINK"].finditer(text) if not (page.parent / link[3]).exists()] == []


@pytest.mark.parametrize(
    ("file", "variant", "said"),
    [
        ("plain_agent.py", "{}:plain", "It costs $"), ("my_agent.py", "{}:quick", "A critic found nothing to doubt."),
        ("clerk.py", "cmd:{} --trust-agent", "costs $"),
    ],
)  # fmt: skip
def test_an_agent_of_the_documents_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, variant: str, said: str
) -> None:
    write_shop(str(tmp_path / "shop"), Settings())
    blocks = fenced(ROOT / "docs" / "your-agent.md", "python")
    (written,) = [block for block in blocks if f"# {file}" in block]
    (tmp_path / file).write_text(written, encoding="utf-8")
    (tmp_path / file).chmod(0o755)
    words = ["ask", "Which bird feeder?", "--shop", str(tmp_path / "shop"), "--user", ANNA]
    assert main([*words, "--variant", *variant.format(tmp_path / file).split()]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.long
def test_the_notebook_runs(tmp_path: Path) -> None:
    cells = json.loads((ROOT / "examples" / "first_study.ipynb").read_text("utf-8"))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    environ = os.environ | {"MPLBACKEND": "agg"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environ, check=True, timeout=380)
    assert (tmp_path / "report" / "index.html").is_file()


def test_what_to_cite_is_this_version_under_this_licence_and_the_paper_of_the_readme() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {name: cited[name] for name in ("version", "license", "abstract")} == {
        "version": project["version"], "license": project["license"], "abstract": f"{project['description']}.",
    }  # fmt: skip
    paper, readme = cited["preferred-citation"], (ROOT / "README.md").read_text("utf-8")
    names = [one["family-names"] for one in paper["authors"]]
    assert len(names) == 5 and all(text in readme for text in (paper["title"], paper["url"], names[0]))


def test_what_is_in_no_index_is_installed_from_a_clone() -> None:
    """Nobody has reserved the name yet: whoever does could serve what he likes to a reader of ours."""
    places = [*PAGES, *(ROOT / "examples").rglob("*.ipynb"), *(ROOT / "examples").rglob("*.md")]
    code = [path for room in ("src", "examples") for path in (ROOT / room).rglob("*.py")]
    assert [
        path for path in [*places, *code]
        if re.search(r"pip install[^`\n]* ['\"]?deepresearch-retail", path.read_text("utf-8"))
    ] == []  # fmt: skip


NAME = re.compile(
    r"\b(?:DRR_[A-Z_]+|[A-Z]+_API_KEY|OTEL_[A-Z_]+|XDG_[A-Z_]+|NO_COLOR|HTTPS_PROXY|JAVA_HOME)\b"
)


def test_variables_and_settings_of_the_documents_exist() -> None:
    known = {"DRR_NAME", *VARIABLES, *(f"DRR_{name.upper()}" for name in Settings.model_fields)}
    for page in (ROOT / "README.md", ROOT / "docs" / "settings.md"):
        assert set(NAME.findall(page.read_text("utf-8"))) <= known, page


def test_pages_made_from_the_code_name_all_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    made = "\n".join(GENERATE["of_code"]().values())
    names = [*(f"## drr {leaf}" for leaf, _ in every_leaf()), *(f"## {name}" for name in EVERY)]
    twins = {name for name in drr.__all__ if f"`await drr.{name}(" in made}
    names += [f"## drr.{name}" for name in drr.__all__ if name not in twins]
    names += [f"`{name}`" for name in (*metrics(), *Settings.model_fields, *VARIABLES)]
    assert [name for name in names if f"{name}\n" not in made and f"{name} |" not in made] == []

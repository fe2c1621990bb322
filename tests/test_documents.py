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
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import drr
import pytest
import yaml
from drr.app.cli import main
from drr.app.commands.parser import parser_of
from drr.app.commands.table import command_of, commands, find_command
from drr.env.errors import Misuse
from drr.env.setting_sources import VARIABLES
from drr.env.settings import Settings
from drr.eval.metrics import metrics
from drr.tools.registry import EVERY, TOOLS

from tests.agents.garden import ANNA, write_shop
from tests.command_lines import every_leaf, parsed
from tests.sources import SRC

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
ROOMS = sorted(path.parent.name for path in SRC.glob("*/__init__.py"))
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
TO_BE_WRITTEN = {
    *(
        "drr.env.clips", "drr.env.manuals", "drr.tools.warranty", "drr.eval.metrics.tone",
        "eval/metrics/tone.py", "env/manuals.py", "tools/warranty.py", "drr papers tone",
    ),
    *("path/file.py", "path/to/file.py"),
}  # fmt: skip
"""What the recipes tell a reader to write."""


def fenced(page: Path, language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return [block for said, block in blocks if said == language]


def command_lines() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in fenced(page, ""):
            for line in block.replace("\\\n", " ").splitlines():
                for command in re.split(r"&&|;", line):
                    line = command.strip()
                    is_recipe = any(line.startswith(f"{one} ") for one in TO_BE_WRITTEN)
                    if (
                        line.startswith("drr ") and "|" not in line and not is_recipe
                    ):  # `info|search` is several
                        yield page.name, line


def test_a_report_of_the_documents_goes_somewhere() -> None:
    reports = [(page, line) for page, line in command_lines() if line.startswith("drr report ")]
    goes = re.compile(r"--(out|json|verdicts|explain|labels)\b")
    assert reports and [one for one in reports if not goes.search(one[1])] == []


def test_no_shell_eats_an_amount_of_an_example() -> None:
    """Within double quotes `$40` is an empty word and a zero."""
    epilogs = ((row.name, parser_of(command_of(row.name)).epilog or "") for row in commands())
    pages = ((page.name, "\n".join(fenced(page, ""))) for page in PAGES)
    lines = [
        (place, line) for place, text in (*pages, *epilogs) for line in text.splitlines() if "drr " in line
    ]
    assert [(place, line) for place, line in lines if re.search(r'"[^"\']*\$\d[^"]*"', line)] == []


def inline_commands() -> Iterator[tuple[str, list[str], list[str]]]:
    """Of the commands within sentences, which may leave out what is plain: name and options."""
    for page in PAGES:
        for command in re.findall(r"`drr ([^`]+)`", page.read_text(encoding="utf-8")):
            words = command.split()
            if words[0].isalpha() and words[0].islower():
                yield page.name, words, re.findall(r"(?<![\w-])--[a-z][a-z-]*", command)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for below in action.choices.values() for option in options_of(below)}
    return found


def test_commands_of_the_documents_exist() -> None:
    lines = list(command_lines())
    helps = [
        (name, line.strip())
        for name, parser in ((row.name, parser_of(row)) for row in commands())
        for line in (parser.epilog or "").replace("\\\n", " ").splitlines()
        if line.strip().startswith("drr ") and "&&" not in line
    ]
    assert len(lines) > 50 and len(helps) > 50
    for page, line in [*lines, *helps]:
        try:
            parsed(shlex.split(line, comments=True)[1:])
        except (SystemExit, AssertionError, Misuse) as error:
            pytest.fail(f"{page}: {line}: {error}")
    named = list(inline_commands())
    assert len(named) > 20
    for page, words, options in named:
        found = find_command([word for word in words if word != "help"])
        assert found is not None and not found.old, f"{page}: drr {' '.join(words)}"
        assert set(options) <= options_of(parser_of(found.command)), f"{page}: drr {' '.join(words)}"


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
        assert {*data} - {"_id"} == {field for field in fields if "." not in field}, name
        listed = {field for field in fields if field.startswith("items[]")}
        assert not listed or {f"items[].{one}" for one in data["items"][0]} == listed


def test_modules_and_files_of_the_documents_exist() -> None:
    imports = [
        (page.name, node.module, alias.name)
        for page in PAGES
        for block in fenced(page, "python")
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ]
    assert imports
    for page, module, name in imports:
        assert module.split(".")[0] not in ROOMS, f"{page}: {module} is not installed under that name"
        assert hasattr(import_module(module), name), f"{page}: {module} has no {name}"
    dotted = {
        (page.name, word)
        for page in PAGES
        for word in re.findall(r"\bdrr(?:\.[a-z_0-9]+)+(?:\.\w+)?", page.read_text("utf-8"))
    }
    for page, word in dotted:
        *parts, last = word.split(".")
        if (
            word in TO_BE_WRITTEN
            or ".".join(parts) in TO_BE_WRITTEN
            or word in ("drr.toml", "drr.variants", "drr.papers")
        ):
            continue
        try:
            parent = import_module(".".join(parts))
            found = hasattr(parent, last) or import_module(word)
        except ModuleNotFoundError as error:  # a door may lean on a package that is not here
            found = not (error.name or "drr").startswith("drr")
        assert found, f"{page}: {word}"
    rooms = "|".join([*ROOMS, "docs", "tests", "benchmarks"])
    named = {
        (page.name, path)
        for page in PAGES
        for path in re.findall(rf"`((?:{rooms})/[\w/]*(?:\.(?:py|md|toml|jsonl))?)`", page.read_text("utf-8"))
    }
    assert len(named) > 20
    missing = [
        (page, path)
        for page, path in named
        if path not in TO_BE_WRITTEN and not any((place / path).exists() for place in (SRC, ROOT))
    ]
    assert not missing


@pytest.fixture
def shop_folder(tmp_path: Path) -> Path:
    write_shop(str(tmp_path / "shop"), Settings())
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("file", "name", "said"),
    [("plain_agent.py", "plain", "It costs $"), ("my_agent.py", "quick", "A critic found nothing to doubt.")],
)
def test_an_agent_in_a_file_of_the_documents_answers(
    shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, name: str, said: str
) -> None:
    blocks = fenced(ROOT / "docs" / "your-agent.md", "python")
    (written,) = [block for block in blocks if f"# {file}" in block]
    (tmp_path / file).write_text(written, encoding="utf-8")
    words = ["ask", "Which bird feeder?", "--shop", str(shop_folder), "--user", ANNA]
    assert main([*words, "--variant", f"{tmp_path / file}:{name}"]) == 0
    assert said in capsys.readouterr().out


def test_a_program_answers(shop_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = fenced(ROOT / "docs" / "your-agent.md", "python")
    (written,) = [block for block in blocks if "# clerk.py" in block]
    (tmp_path / "clerk.py").write_text(written, encoding="utf-8")
    (tmp_path / "clerk.py").chmod(0o755)
    words = ["ask", "Which bird feeder?", "--shop", str(shop_folder), "--user", ANNA, "--trust-agent"]
    assert main([*words, "--variant", f"cmd:{tmp_path / 'clerk.py'}"]) == 0
    assert "costs $" in capsys.readouterr().out


@pytest.mark.long
def test_the_notebook_runs(tmp_path: Path) -> None:
    cells = json.loads((ROOT / "examples" / "first_study.ipynb").read_text("utf-8"))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    environ = os.environ | {"MPLBACKEND": "agg"}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environ, check=True, timeout=380)
    assert (tmp_path / "report" / "index.html").is_file()


def test_what_to_cite_is_this_version_under_this_licence() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in (
        f"version: {project['version']}", f"license: {project['license']}", "cff-version: 1.2.0", "authors:",
    ):  # fmt: skip
        assert f"\n{line}\n" in f"\n{cited}"
    assert project["description"] in cited
    given = yaml.safe_load(cited)
    assert isinstance(given["version"], str) and {"message", "title", "type"} <= given.keys()
    paper = given["preferred-citation"]
    assert paper["type"] == "conference-paper" and paper["start"] < paper["end"]
    assert all(isinstance(paper[name], int) for name in ("year", "start", "end"))
    assert len(paper["authors"]) == 5
    assert all(person.keys() == {"given-names", "family-names"} for person in paper["authors"])
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(text in readme for text in (paper["title"], paper["url"], paper["authors"][0]["family-names"]))


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


def test_links_of_the_documents_lead_to_files() -> None:
    for page in PAGES:
        for link in GENERATE["LINK"].finditer(page.read_text("utf-8")):
            assert (page.parent / link[3]).exists(), f"{page.name}: {link[0]}"


def test_pages_made_from_the_code_name_all_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    made = "\n".join(GENERATE["of_code"]().values())
    names = [*(f"## drr {leaf}" for leaf, _ in every_leaf()), *(f"## {name}" for name in EVERY)]
    twins = {name for name in drr.__all__ if f"`await drr.{name}(" in made}
    names += [f"## drr.{name}" for name in drr.__all__ if name not in twins]
    names += [f"`{name}`" for name in (*metrics(), *Settings.model_fields, *VARIABLES)]
    assert [name for name in names if f"{name}\n" not in made and f"{name} |" not in made] == []


def test_doctor_names_another_project_that_owns_our_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    info = tmp_path / "drr-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: drr\nVersion: 1.0\n", encoding="utf-8")
    (info / "top_level.txt").write_text("drr\n", encoding="utf-8")
    assert main(["doctor", "--json"]) == 0 and json.loads(capsys.readouterr().out)["others"] == []
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["doctor"]) == 1
    assert "`pip uninstall drr`" in capsys.readouterr().out


def test_doctor_shows_no_value(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "planted-0123456789")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    main(["doctor"])
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in VARIABLES)
    assert "planted" not in shown
    assert re.search(r"SERPER_API_KEY +set ", shown) and re.search(r"JAVA_HOME +- ", shown)

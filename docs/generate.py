"""Pages of the site under `build/docs`: those written by hand as they are, those of the API, commands, metrics, settings and tools from the code."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import drr
import yaml
from drr.agents.base import Limits
from drr.agents.pictures import graphs, mermaid
from drr.app.commands.parser import Parser, parser_of
from drr.app.commands.table import GROUPS, CommandRow, commands
from drr.app.options import parsers_with_options
from drr.app.report.metric_tables import EXPLAINED, explanations
from drr.env.entities import Product, User
from drr.env.setting_sources import VARIABLES
from drr.env.settings import Settings
from drr.env.statistics import UserStatistics
from drr.eval.checks import RULES
from drr.tools.catalog import FoundProducts
from drr.tools.files import FoundPassages, ListedFiles, ReadPart, ViewedImage
from drr.tools.registry import EVERY
from drr.tools.users import ChangedProfile, ListedOrders, OrderData
from drr.tools.utility import Calculated, WebResults
from typing_extensions import is_typeddict

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "docs"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")
"""A link to a file: whether it is a picture, its text, the file, the anchor."""
DATA: dict[str, Any] = {
    "product_catalog_search": FoundProducts,
    "get_product_details": Product,
    "get_user_orders": ListedOrders,
    "get_order_details": OrderData,
    "get_user_profile": User,
    "update_user_profile": ChangedProfile,
    "get_user_statistics": UserStatistics,
    "web_search": WebResults,
    "calculator": Calculated,
    "list_files": ListedFiles,
    "read_file": ReadPart,
    "search_file": FoundPassages,
    "view_image": ViewedImage,
}
"""The form of each tool's `data`."""
COMMON = ("help", "help_all", "quiet", "wide")


def handwritten() -> dict[Path, str]:
    """Map each page to its name on the site."""
    tops = ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "VERSIONING", "benchmarks/RESULTS")
    pages = [*(ROOT / f"{top}.md" for top in tops), *sorted((ROOT / "docs").glob("*.md"))]
    return {page: "index.md" if page.stem == "README" else page.name for page in pages if page.exists()}


def staged(page: Path, names: dict[Path, str]) -> str:
    """Return a page whose links lead to the site's pages; of a link to other files the words stay."""

    def led(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / link[3]))
        pictures = ROOT / "docs"
        name = f"{target.relative_to(pictures)}" if target.is_relative_to(pictures) else names.get(target)
        return f"{link[1]}[{link[2]}]({name}{link[4] or ''})" if name else link[2]

    text = re.sub(r"^```(\w+) (\S+)$", r'```\1 title="\2"', page.read_text(encoding="utf-8"), flags=re.M)
    return LINK.sub(led, text)


def of_notebook(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = (("".join(cell["source"]), cell["cell_type"] == "code") for cell in cells)
    return "\n\n".join(fenced(text, "python") if is_code else text for text, is_code in texts)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = ([re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def fenced(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.strip()}\n```"


def plain(text: str) -> str:
    return re.sub(r"([<*])", r"\\\1", text)


def of_command(row: CommandRow) -> Iterator[str]:
    """Yield the blocks of a command and of the parts that have no row of their own."""
    parser = parser_of(row)
    yield from of_parser(row.name, parser, parser.epilog or "")
    known = {other.name for other in commands()}
    for name, part in parsers_with_options(parser, row.name):
        if name not in known:
            yield from of_parser(name, part, "" if part.epilog == parser.epilog else part.epilog or "")


def of_parser(name: str, parser: argparse.ArgumentParser, epilog: str) -> Iterator[str]:
    yield f"## drr {name}"
    yield plain(parser.description or "")
    whole = parser.format_help_all() if isinstance(parser, Parser) else parser.format_help()
    yield fenced(whole.partition("\n\n")[0].removeprefix("usage: "))
    formatter, rows = parser._get_formatter(), []
    for action in parser._actions:
        if action.help and action.help != argparse.SUPPRESS and action.dest not in COMMON:
            place = formatter._get_default_metavar_for_optional(action)
            value = "" if action.nargs == 0 else f" {formatter._format_args(action, place)}"
            shown = ", ".join(f"`{option}{value}`" for option in action.option_strings)
            text = formatter._expand_help(action)
            rows.append(
                [shown or f"`{formatter._metavar_formatter(action, action.dest)(1)[0]}`", plain(text)]
            )
    if rows:
        yield table(("", "meaning"), rows)
    prose, _, examples = epilog.partition("examples:\n")
    for block in prose.strip().split("\n\n"):
        yield fenced(block) if re.search(r"\S {2,}\S|\n {2}", block) else plain(block)
    if examples:
        yield fenced(textwrap.dedent(examples), "sh")


def of_commands(group: str) -> str:
    inside = {row.name for row in commands() if row.name == row.head and row.group == group}
    blocks = [block for row in commands() if row.head in inside for block in of_command(row)]
    title = f"# Commands: {group}"
    lead = "Every command also takes `--help`, `--help-all`, `--quiet` (no progress) and `--wide` (all columns of tables)."
    return "\n\n".join([title, lead, *filter(None, blocks)])


def docstring(text: str | None) -> str:
    words, _, example = inspect.cleandoc(text or "").partition(">>> ")
    return f"{words.strip()}\n\n{fenced('>>> ' + example, 'python') if example else ''}".strip()


def signature(name: str, function: Any) -> str:
    words, starred = [], False
    found = inspect.signature(function)
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            words, starred = [*words, "*"], True
        default = "" if one.default is one.empty else f" = {one.default!r}"
        words.append(f"{one.name}: {one.annotation}{default}")
    lines = "".join(f"    {word},\n" for word in words)
    return fenced(f"{name}(\n{lines}) -> {found.return_annotation}", "python")


def members(kind: type) -> Iterator[Sequence[str]]:
    """Yield the fields and methods of a class with their words."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    for place, node in enumerate(body):
        if isinstance(node, ast.AnnAssign) and not (name := ast.unparse(node.target)).startswith("_"):
            after = body[place + 1] if place + 1 < len(body) else None
            beside = after.value if isinstance(after, ast.Expr) else None
            said = str(beside.value) if isinstance(beside, ast.Constant) else ""
            yield f"`{name}: {ast.unparse(node.annotation)}`", plain(said)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            is_field = any(ast.unparse(one).endswith("property") for one in node.decorator_list)
            given = "" if is_field else f"({ast.unparse(node.args).removeprefix('self').removeprefix(', ')})"
            gives = f": {ast.unparse(node.returns)}" if is_field and node.returns else ""
            yield f"`{node.name}{given}{gives}`", plain(ast.get_docstring(node) or "")


def of_api() -> str:
    parts = ["# `import drr`", docstring(drr.__doc__)]
    functions = [name for name in drr.__all__ if not isinstance(getattr(drr, name), type)]
    async_forms = {f"a{name}" for name in functions} & {*functions}
    for name in functions:
        if name not in async_forms:
            function = getattr(drr, name)
            parts += [f"## drr.{name}", signature(name, function), docstring(function.__doc__)]
            parts += (
                [f"`await drr.a{name}(...)` is the same in a running loop."]
                if f"a{name}" in async_forms
                else []
            )
    for name in drr.__all__:
        kind = getattr(drr, name)
        if isinstance(kind, type):
            parts += [f"## drr.{name}", docstring(kind.__doc__)]
            if kind is not Settings and (rows := [*members(kind)]):
                parts.append(table(("", "meaning"), rows))
    return "\n\n".join(parts)


def of_settings() -> str:
    settings = [
        (f"`{name}`", f"`DRR_{name.upper()}`", plain(field.description or ""))
        for name, field in Settings.model_fields.items()
    ]
    variables = [(f"`{name}`", plain(meaning)) for name, meaning in VARIABLES.items()]
    blocks = [
        "# Every setting",
        "`drr env settings` shows the value of each, and where it came from.",
        table(("setting", "variable", "meaning"), settings),
        "## Variables",
        table(("", "meaning"), variables),
    ]
    return "\n\n".join(blocks)


def of_metrics() -> str:
    rows = [(f"`{name}`", *map(plain, cells)) for name, cells in explanations().items()]
    return "\n\n".join(
        ["# Every metric", "`drr report --explain` prints this list.", table(("metric", *EXPLAINED), rows)]
    )


def data_fields(kind: Any, within: str = "") -> Iterator[tuple[str, str]]:
    """Yield the fields of a form with their types, those of its parts below it."""
    models = getattr(kind, "model_fields", None)
    hints = {name: one.annotation for name, one in models.items()} if models else get_type_hints(kind)
    for name, hint in hints.items():
        yield f"`{within}{name}`", re.sub(r"\b(?:\w+\.)+", "", inspect.formatannotation(hint))
        for part in (hint, *get_args(hint)):
            if is_typeddict(part) or hasattr(part, "model_fields"):
                yield from data_fields(part, f"{within}{name}{'[]' if part is not hint else ''}.")


def of_tools() -> str:
    parts = [
        "# Every tool",
        "`drr tools docs` makes a page with real calls; the last four are for questions with files.",
    ]
    for tool in EVERY.values():
        needed = tool.schema["required"]
        rows = [
            (
                f"`{name}`",
                tool.kind_of(name),
                "yes" if name in needed else "",
                plain(part.get("description", "")),
            )
            for name, part in tool.schema["properties"].items()
        ]
        parts += [f"## {tool.name}", plain(tool.description)]
        parts += [table(("argument", "type", "needed", "meaning"), rows)] if rows else []
        if tool.name in DATA:
            parts.append(table(("field of `data`", "type"), data_fields(DATA[tool.name])))
    return "\n\n".join(parts)


def of_rules() -> str:
    """The rules by the first words of their functions."""
    rows = [(f"`{name}`", plain(summary(rule.check.__doc__ or ""))) for name, rule in RULES.items()]
    return "\n\n".join(
        [
            "# Every rule",
            "`drr judges check` tries each of them on a report.",
            table(("rule", "meaning"), rows),
        ]
    )


def of_agents() -> str:
    """The limits of agents with their defaults, and their graphs."""
    limits = [
        (f"`{(name := told.strip('`').split(':')[0])}`", f"{getattr(Limits, name):,}", words)
        for told, words in members(Limits)
        if "(" not in told
    ]
    drawn = [f"## {name}\n\n{fenced(mermaid(name), 'mermaid')}" for name in graphs()]
    lead = "`drr variants` lists the agents. `--limits NAME=N` sets a limit."
    return "\n\n".join(["# Every agent", lead, table(("limit", "default", "bounds"), limits), *drawn])


def summary(text: str) -> str:
    """Return the first sentence that stands in a paragraph."""
    paragraphs = (block for block in text.split("\n\n") if re.match(r"`?[*\w]", block.strip()))
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(next(paragraphs, "").split()))
    return re.split(r"(?<=[.!?])\s", words)[0]


def for_models(nav: Sequence[dict[str, Sequence[str]]], pages: dict[str, str]) -> tuple[str, str]:
    """Return `llms.txt`, the list of the pages, and `llms-full.txt`, their texts."""
    lines = ["# DeepResearch Retail", f"> {summary(pages['index.md'])}"]
    for part in nav:
        for title, names in part.items():
            found = [
                f"- [{pages[one].splitlines()[0].lstrip('# ')}]({one}): {summary(pages[one])}"
                for one in names
            ]
            lines += [f"## {title}", "\n".join(found)]
    order = [name for part in nav for names in part.values() for name in names]
    return "\n\n".join(lines), "\n\n".join(pages[name] for name in order)


def of_code() -> dict[str, str]:
    """Return the pages that are made from the code, by name."""
    return {
        **{f"reference/commands-{group.split()[0]}.md": of_commands(group) for group in GROUPS},
        "reference/api.md": of_api(),
        "reference/metrics.md": of_metrics(),
        "reference/rules.md": of_rules(),
        "reference/agents.md": of_agents(),
        "reference/settings.md": of_settings(),
        "reference/tools.md": of_tools(),
    }


def main() -> None:
    os.environ["COLUMNS"] = "100"
    names = handwritten()
    pages = {name: staged(page, names) for page, name in names.items()} | of_code()
    pages["first-study.md"] = of_notebook(ROOT / "examples" / "first_study.ipynb")
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    listed = {name for part in nav for found in part.values() for name in found}
    if listed != pages.keys():
        raise SystemExit(
            f"mkdocs.yml: its nav and the pages differ by {', '.join(sorted(listed ^ pages.keys()))}"
        )
    pages["llms.txt"], pages["llms-full.txt"] = for_models(nav, pages)
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "images", OUT / "images")
    for name, text in pages.items():
        (OUT / name).parent.mkdir(exist_ok=True)
        (OUT / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

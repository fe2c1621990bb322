"""Sentences of documents, help, error messages and pages, as people read them."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

from drr.app.commands.parser import parser_of
from drr.app.commands.table import commands
from drr.app.options import parsers_with_options
from markdown_it import MarkdownIt

from tests.sources import ROOT, SRC, every, walked

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = "code"
"""The word that stands for a span of code or a figure filled in."""


class Sentence(NamedTuple):
    """A sentence and the place where it stands."""

    place: str
    text: str

    @property
    def words(self) -> int:
        return sum(any(sign.isalnum() for sign in word) for word in self.text.split())


def split(place: str, text: str) -> Iterator[Sentence]:
    for part in re.split(r"(?<=[.!?])[)\"'*]*\s+(?=\S)|\n\n+", text):
        if part.strip():
            yield Sentence(place, " ".join(part.split()))


def of_markdown(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs, list items and cells; code and headings are no sentences."""
    inside = ""
    for token in MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8")):
        inside = token.type if token.type.endswith("_open") else inside
        if token.type == "inline" and inside != "heading_open":
            parts = (
                CODE if part.type == "code_inline" else part.content or " " for part in token.children or ()
            )
            line = token.map[0] + 1 if token.map else 0
            yield from split(f"{path.relative_to(ROOT)}:{line}", "".join(parts))


def of_help() -> Iterator[Sentence]:
    for row in commands():
        for name, parser in parsers_with_options(parser_of(row), row.name):
            yield from split(f"drr {name}", parser.description or "")
            prose = (parser.epilog or "").partition("examples:")[0]
            yield from split(f"drr {name}", re.sub(r"\n(?= {2}\S|\S+(?: \S+)? {2,}\S)", "\n\n", prose))
            for action in parser._actions:
                if action.help and action.help != argparse.SUPPRESS:
                    yield from split(f"drr {name} {'/'.join(action.option_strings)}", action.help)


def of_errors() -> Iterator[Sentence]:
    """Yield the sentences of what is raised; a value filled in counts as one word."""
    for path, tree in every():
        for node in walked(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for given in node.exc.args:
                    if text := _literal(given):
                        yield from split(f"{path.relative_to(SRC)}:{node.lineno}", text)


def _literal(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal(part) or CODE for part in node.values)
    return ""


def of_pages() -> Iterator[Sentence]:
    """Yield the sentences of templates, those of titles and labels too; a value filled in counts as one word."""
    for path in sorted(SRC.rglob("*.html")):
        silent = r"\{%.*?%\}|\{#.*?#\}|<(script|style)\b.*?</\1>"
        text = re.sub(silent, "\n\n", path.read_text(encoding="utf-8"), flags=re.S)
        text = re.sub(r"\{\{.*?\}\}", CODE, text, flags=re.S)
        labels = re.findall(r'\s(?:title|aria-label)="([^"]+)"', text)
        text = re.sub(r"</?(?:a|b|em|span|small|code|strong|kbd|i)\b[^>]*>", "", text)
        text = re.sub(r"<[^>]+>", "\n\n", text)
        yield from split(str(path.relative_to(SRC)), unescape("\n\n".join([text, *labels])))


def groups() -> dict[str, list[Sentence]]:
    return {
        "README": [*of_markdown(PAGES[0])],
        "docs": [sentence for page in PAGES[1:] for sentence in of_markdown(page)],
        "help": [*of_help()],
        "errors": [*of_errors()],
        "pages": [*of_pages()],
    }

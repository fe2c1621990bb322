"""Docstrings and names are plain English. Each limit is a ratchet: it may only shrink, and its goal is 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from drr.eval.asking.forms import RelativeGrades
from drr.papers.dr3.agent.validating import Requirements
from drr.papers.dr3.found.proposals import ProposedPage
from drr.tools.registry import EVERY

from tests.test_rooms import ROOT

ROOMS = ("agents", "app", "citations", "data_ingest", "drr", "env", "eval", "extras", "llm", "offline", "papers", "querygen", "study", "tools", "wording")  # fmt: skip
NO_OPENERS = frozenset(
    [
        "What", "Of", "Whether", "How", "Which", "Who", "Whose", "Whom", "Where", "When", "By", "As", "In",
        "With", "Without", "From", "For", "On", "To", "At", "If", "That", "Because", "While",
    ]
)  # fmt: skip
NO_NAMES = frozenset({"told", "said", "held", "meant"})
FORMS = (RelativeGrades, Requirements, ProposedPage)
"""Forms that models fill in: their docstrings are part of requests, which old studies find again by their bytes."""
KEYS = {
    "app/commands/import_.py held_against",
    "app/foreign.py held_against",
    "data_ingest/sample_text.py said",
    "eval/foreign/summary.py told",
    "papers/dr3/found/candidate.py told",
    "papers/dr3/judging/forms.py told",
    "papers/dr3/making/checking.py told",
    "papers/pdr/checking.py told",
    "papers/pdr/context_check.py told",
    "papers/pdr/memory/base.py held",
    "papers/pdr/metrics/settings.py told",
    "querygen/checks.py told",
}
"""Keys of documents, of stored results and of forms that models fill in: they stay as old studies have them."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def trees() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def texts_for_models() -> set[str]:
    """Return the docstrings that models read: of the tools, and of the forms and their parts."""
    schemas = [form.model_json_schema() for form in FORMS]
    parts = [part for schema in schemas for part in (schema, *schema.get("$defs", {}).values())]
    return {tool.description for tool in EVERY.values()} | {part.get("description", "") for part in parts}


def first_sentences() -> Iterator[tuple[str, str]]:
    for_models = texts_for_models()
    for place, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
                if text in for_models:
                    continue
                line = getattr(node, "lineno", 1)
                yield f"{place}:{line}", re.split(r"(?<=[.!?])\s", text.split("\n\n")[0], maxsplit=1)[0]


def words_beside_fields() -> Iterator[tuple[str, str]]:
    """Yield what stands under a field, a setting or a constant."""
    for place, tree in trees():
        for node in ast.walk(tree):
            body = getattr(node, "body", ())
            for before, text in pairwise(body) if isinstance(body, list) else ():
                is_field = isinstance(before, ast.Assign | ast.AnnAssign)
                if is_field and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                    yield f"{place}:{text.lineno}", str(text.value.value)


def names() -> Iterator[tuple[str, str]]:
    for place, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{place}:{node.lineno}", node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield f"{place}:{node.lineno}", node.id
            elif isinstance(node, ast.arg):
                yield f"{place}:{node.lineno}", node.arg


def test_a_docstring_begins_with_a_verb_or_a_noun_phrase() -> None:
    found = [
        f"{place}: {text}" for place, text in first_sentences() if text.split()[0].strip("`*") in NO_OPENERS
    ]
    assert found == []


def test_words_beside_a_field_name_what_it_holds() -> None:
    found = [f"{place}: {text}" for place, text in words_beside_fields() if text.split()[0] in NO_OPENERS]
    assert found == []


def test_the_first_sentence_of_a_docstring_has_at_most_twenty_words() -> None:
    found = [f"{place}: {text}" for place, text in first_sentences() if len(text.split()) > 20]
    assert found == []


def test_names_say_what_a_thing_is() -> None:
    found = {
        f"{place.partition(':')[0]} {name}"
        for place, name in names()
        if NO_NAMES & set(name.lower().strip("_").split("_"))
    }
    assert found == KEYS

"""Docstrings, names and sentences are plain English. Each limit is a ratchet: it may only shrink."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from drr.env.shop_world import TOOLS
from drr.eval.asking.forms import RelativeGrades
from drr.eval.checks import RULES
from drr.papers.dr3.agent.validating import Requirements
from drr.papers.dr3.making.proposals import ProposedPage
from drr.querygen.asking import Drafts
from drr.tools.registry import EVERY

from tests.sources import ROOT, SRC, every, walked
from tests.style import PAGES, groups

NO_OPENERS = frozenset(
    [
        "What", "Of", "Whether", "How", "Which", "Who", "Whose", "Whom", "Where", "When", "By", "As", "In",
        "With", "Without", "From", "For", "On", "To", "At", "If", "That", "Because", "While",
    ]
)  # fmt: skip
NO_NAMES = frozenset({"told", "said", "held", "meant"})
MOST_WORDS = 23_500
"""Words of README and docs."""
LONGEST, MEDIAN = 28, 12
"""Words of a sentence; fewer than four are a label."""
NUMBERS = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
COUNTS = {"rules": {len(RULES)}, "tools": {len(TOOLS), 4}}
"""The four tools are those of the Universal Commerce Protocol."""
FORMS = (Drafts, RelativeGrades, Requirements, ProposedPage)
"""Forms that models fill in: their docstrings are part of requests, which old studies find again by their bytes."""
KEYS = {
    "app/commands/import_.py held_against", "data_ingest/sample_text.py said",
    "eval/foreign/summary.py told", "papers/dr3/judging/forms.py told", "papers/dr3/making/candidate.py told",
    "papers/dr3/making/checking.py told", "papers/pdr/checking.py told", "papers/pdr/context_check.py told",
    "papers/pdr/metrics/comparing.py told", "querygen/checks.py told",
}  # fmt: skip
"""Keys of documents, of stored results and of forms that models fill in: they stay as old studies have them."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def texts_for_models() -> set[str]:
    """Return the docstrings that models read: of the tools, and of the forms and their parts."""
    schemas = [form.model_json_schema() for form in FORMS]
    parts = [part for schema in schemas for part in (schema, *schema.get("$defs", {}).values())]
    return {tool.description for tool in EVERY.values()} | {part.get("description", "") for part in parts}


def docstrings() -> Iterator[tuple[str, str, bool]]:
    """Yield docstrings, and what stands under a field, a setting or a constant: the place, the text, whether it is a docstring."""
    for_models = texts_for_models()
    for path, tree in every():
        for node in walked(tree):
            if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)) and text not in for_models:
                yield f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 1)}", text, True
            body = getattr(node, "body", ())
            for before, under in pairwise(body) if isinstance(body, list) else ():
                is_field = isinstance(before, ast.Assign | ast.AnnAssign)
                if is_field and isinstance(under, ast.Expr) and isinstance(under.value, ast.Constant):
                    yield f"{path.relative_to(SRC)}:{under.lineno}", str(under.value.value), False


def test_a_docstring_begins_with_a_verb_or_a_noun_phrase_and_a_short_sentence() -> None:
    """So do words beside a field, which name what it holds."""
    wrong = []
    for place, text, is_docstring in docstrings():
        first = re.split(r"(?<=[.!?])\s", text.split("\n\n")[0], maxsplit=1)[0]
        if text.split()[0].strip("`*") in NO_OPENERS or (is_docstring and len(first.split()) > 20):
            wrong.append(f"{place}: {first}")
    assert wrong == []


def test_names_say_what_a_thing_is() -> None:
    found = set()
    for path, tree in every():
        for node in walked(tree):
            match node:
                case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.arg(name):
                    pass
                case ast.Name(name, ast.Store()):
                    pass
                case _:
                    continue
            if NO_NAMES & set(name.lower().strip("_").split("_")):
                found.add(f"{path.relative_to(SRC)} {name}")
    assert found == KEYS


def test_sentences_are_short_and_documents_too() -> None:
    for name, found in groups().items():
        sentences = [one for one in found if one.words >= 4]
        assert [f"{one.words} {one.place}: {one.text}" for one in sentences if one.words > LONGEST] == []
        assert median(one.words for one in sentences) <= MEDIAN, name
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in PAGES) <= MOST_WORDS


def test_a_number_of_things_is_that_of_the_code() -> None:
    counted = re.compile(rf"\b({'|'.join(NUMBERS)}|\d{{1,3}}) ({'|'.join(COUNTS)})\b", re.IGNORECASE)
    wrong = []
    for path in [*PAGES, *(path for kind in ("*.py", "*.html") for path in SRC.rglob(kind))]:
        for found in counted.finditer(path.read_text(encoding="utf-8")):
            word, things = found[1].lower(), found[2].lower()
            number = int(word) if word.isdigit() else NUMBERS.index(word) + 1
            if number not in COUNTS[things]:
                wrong.append(f"{path.relative_to(ROOT)}: {found[0]}, and there are {COUNTS[things]}")
    assert wrong == []

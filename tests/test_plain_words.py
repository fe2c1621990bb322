"""Docstrings, names and sentences are plain English. Each limit is a ratchet: it may only shrink."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from drr.env.shop_world import TOOLS
from drr.eval.asking.forms import RelativeGrades
from drr.eval.checks import RULES
from drr.papers.dr3.agent.validating import Requirements
from drr.papers.dr3.making.proposals import ProposedPage
from drr.querygen.asking import Drafts
from drr.tools.registry import EVERY

from tests.sources import ROOT, SRC, modules
from tests.style import LONGEST, PAGES, ROOMS, figures, groups, words

NO_OPENERS = frozenset(
    [
        "What", "Of", "Whether", "How", "Which", "Who", "Whose", "Whom", "Where", "TextDate", "By", "As", "In",
        "With", "Without", "From", "For", "On", "To", "At", "If", "That", "Because", "While",
    ]
)  # fmt: skip
NO_NAMES = frozenset({"told", "said", "held", "meant"})
MOST_WORDS = 24_000
"""Words of README and docs."""
LONG = {"README": 0, "docs": 0, "help": 0, "errors": 0, "pages": 0}
"""Sentences of more than 28 words; the goal is 0."""
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


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [(str(path.relative_to(SRC)), tree) for room in ROOMS for path, tree in modules(room)]


def texts_for_models() -> set[str]:
    """Return the docstrings that models read: of the tools, and of the forms and their parts."""
    schemas = [form.model_json_schema() for form in FORMS]
    parts = [part for schema in schemas for part in (schema, *schema.get("$defs", {}).values())]
    return {tool.description for tool in EVERY.values()} | {part.get("description", "") for part in parts}


@cache
def first_sentences() -> list[tuple[str, str]]:
    for_models = texts_for_models()
    documented = (
        (f"{place}:{getattr(node, 'lineno', 1)}", text)
        for place, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)) and text not in for_models
    )
    return [
        (place, re.split(r"(?<=[.!?])\s", text.split("\n\n")[0], maxsplit=1)[0]) for place, text in documented
    ]


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
    """So do words beside a field, which name what it holds."""
    opened = [
        (place, text, text.split()[0].strip("`*"))
        for place, text in (*first_sentences(), *words_beside_fields())
    ]
    assert [f"{place}: {text}" for place, text, first in opened if first in NO_OPENERS] == []


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


def test_sentences_are_short() -> None:
    found = groups()
    for name, sentences in found.items():
        counted = figures(sentences)
        long = [f"{one.words} {one.place}: {one.text}" for one in sentences if one.words > LONGEST]
        assert counted.median <= 16 and counted.ninth <= LONGEST, f"{name}: {counted}"
        assert counted.long <= LONG[name], f"{name}: {counted}\n" + "\n".join(long)
    assert words() <= MOST_WORDS


def sources() -> Iterator[tuple[str, str]]:
    code = sorted(path for kind in ("*.py", "*.html") for path in SRC.rglob(kind))
    for path in [*PAGES, *code]:
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_a_number_of_things_is_that_of_the_code() -> None:
    counted = re.compile(rf"\b({'|'.join(NUMBERS)}|\d{{1,3}}) ({'|'.join(COUNTS)})\b", re.IGNORECASE)
    wrong = []
    for place, text in sources():
        for found in counted.finditer(text):
            word, things = found[1].lower(), found[2].lower()
            number = int(word) if word.isdigit() else NUMBERS.index(word) + 1
            if number not in COUNTS[things]:
                wrong.append(f"{place}: {found[0]}, and there are {COUNTS[things]}")
    assert wrong == []

"""A version that is declared by hand cannot go stale: its code changes only with it, or with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.eval.checks import RULES
from drr.eval.tasks.registry import tasks

from tests.eval.fingerprints import DECIDING, SEAM, Row, Versioned, fingerprint, kept, reach, stale, versioned
from tests.sources import SRC

RULE = '''"""What it is for."""

from drr.wording.words import WORDS


def rule(text: str) -> bool:
    """Why."""
    # how
    return text in WORDS
'''


def house(folder: Path, rule: str = RULE, words: str = "WORDS = ('a',)\n", listed: str = "a\n") -> str:
    for name, text in {
        "eval/checks/rule.py": rule,
        "wording/__init__.py": "",
        "wording/words.py": words,
        "wording/words.txt": listed,
        "llm/models.py": "LIMIT = 1\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return fingerprint("drr.eval.checks.rule", folder)


def test_no_code_changed_under_its_version() -> None:
    """If this fails: raise the version in the code where a verdict can change, and run what the line says."""
    assert stale(kept(), versioned()) == []


def test_what_decides_is_part_of_it_and_what_is_said_about_it_is_not(tmp_path: Path) -> None:
    before = house(tmp_path / "a")
    said = RULE.replace("Why.", "Because.").replace("# how", "# so").replace("What it is", "What this is")
    assert house(tmp_path / "b", rule=said) == before
    assert house(tmp_path / "c", rule=RULE.replace("text in", "text not in")) != before
    assert house(tmp_path / "d", words="WORDS = ('b',)\n") != before
    assert house(tmp_path / "e", listed="a\nb\n") != before


def test_a_version_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="would stand for nothing"):
        fingerprint("drr.eval.checks.no_such_module")


def test_a_changed_fingerprint_and_a_version_nobody_entered_are_told() -> None:
    one = Versioned("rule price", "2", "drr.eval.checks.facts")
    same = fingerprint(one.module)
    row: Row = {"version": "2", "fingerprint": same}
    assert stale({"rule price": row}, [one]) == []
    assert "its code changed" in stale({"rule price": {**row, "fingerprint": "other"}}, [one])[0]
    assert "version 2 is not entered" in stale({"rule price": {**row, "version": "1"}}, [one])[0]
    assert stale({"rule gone": row, "rule price": row}, [one]) == ["rule gone: is gone; any call drops it"]


def test_what_decides_a_budget_is_reached_from_the_rules() -> None:
    """It once was not: limits of questions are read in another room."""
    reached = reach("drr.eval.checks.money")
    assert {"drr.wording.budgets", "drr.eval.asking.seen"} <= reached
    assert not any(name.startswith(("drr.llm", "drr.study")) for name in reached)


def test_every_version_stands_for_code() -> None:
    names = [one.name for one in versioned()]
    assert len(set(names)) == len(names) == len(tasks()) + len(RULES) + 1
    assert all(len(fingerprint(one.module)) == 16 for one in versioned())
    places = [SRC.joinpath(*name.split(".")[1:]) for name in (*DECIDING, *SEAM)]
    assert [one for one in places if not one.is_dir() and not one.with_suffix(".py").is_file()] == []

"""The names of environment variables stand in one list; README, docs and `drr env doctor` name these and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import Settings
from drr.env.variables import VARIABLES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PAGE = (ROOT / "docs" / "settings.md").read_text("utf-8")
NAME = re.compile(
    r"\b(?:DRR_[A-Z_]+|[A-Z]+_API_KEY|OTEL_[A-Z_]+|XDG_[A-Z_]+|NO_COLOR|HTTPS_PROXY|JAVA_HOME)\b"
)


def test_readme_and_docs_name_each_and_no_other() -> None:
    settings = {f"DRR_{name.upper()}" for name in Settings.model_fields}
    assert set(NAME.findall(README)) - {"DRR_NAME"} == set(VARIABLES)
    assert set(NAME.findall(PAGE)) - {"DRR_NAME"} == set(VARIABLES) | settings
    for name, told in VARIABLES.items():
        assert f"| `{name}` | {told} |" in PAGE


def test_docs_say_of_each_setting_what_it_says_of_itself() -> None:
    for name, field in Settings.model_fields.items():
        assert f"| `{name}` | `DRR_{name.upper()}` | {field.description} |" in PAGE


def test_doctor_names_each_and_shows_no_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "planted-0123456789")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    main(["doctor"])
    shown = capsys.readouterr().out
    assert all(f"  {name}" in shown for name in VARIABLES)
    assert "planted" not in shown
    assert re.search(r"SERPER_API_KEY +set ", shown) and re.search(r"JAVA_HOME +- ", shown)

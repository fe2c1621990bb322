"""What help says: few options first, all of them with a sentence and a default, no riddles."""

from __future__ import annotations

import argparse

import pytest
from drr.app.cli import main
from drr.app.commands.parser import Parser, parser_of
from drr.app.commands.table import command_of, commands

from tests.command_lines import every_leaf

BIG = ("ask", "run", "judge", "report", "papers reproduce")


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def leaves() -> dict[str, Parser]:
    return dict(every_leaf())


def shown(parser: Parser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]


def test_every_option_has_a_sentence_and_a_default(leaves: dict[str, Parser]) -> None:
    mute = [
        f"{leaf} {action.option_strings or action.dest}: {action.help}"
        for leaf, parser in leaves.items()
        for action in shown(parser)
        if len((action.help or "").split()) < 2 or "setting `" in (action.help or "")
    ]
    assert mute == []
    texts = [parser.format_help_all() for parser in leaves.values()]
    assert not [text for text in texts if "setting `" in text]
    for leaf, parser in leaves.items():
        for action in shown(parser):
            if (
                action.option_strings
                and action.nargs != 0
                and action.default not in (None, [], "", argparse.SUPPRESS)
            ):
                assert "default" in parser._get_formatter()._get_help_string(action), (
                    leaf,
                    action.option_strings,
                )


def test_the_help_of_run_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--help"]) == 0
    few = capsys.readouterr().out
    assert len(few.splitlines()) <= 50
    assert main(["run", "--help-all"]) == 0
    whole = capsys.readouterr().out
    for option in (
        "--shop", "--queries", "--variants", "--trials", "--model", "--budget", "--dry-run", "--only",
    ):  # fmt: skip
        assert f"\n  {option} " in few and f"\n  {option} " in whole
    assert "--help-all" in few and "--corpus-search" not in few and "--otel" not in few
    assert "\n  --corpus-search " in whole and "\n  --otel " in whole


@pytest.mark.parametrize("name", BIG)
def test_a_big_command_shows_few_options_first_and_all_on_demand(name: str) -> None:
    parser = parser_of(command_of(name))
    few, whole = parser.format_help(), parser.format_help_all()
    listed = [action for action in shown(parser) if action not in parser.rare()]
    assert len(listed) <= 18
    assert parser.usual <= {*parser._option_string_actions}
    for action in shown(parser):
        if action.option_strings:
            assert f"  {action.option_strings[0]}" in whole
            assert (f"  {action.option_strings[0]}" in few) is (action in listed)


def test_help_all_holds_settings(leaves: dict[str, Parser], capsys: pytest.CaptureFixture[str]) -> None:
    text = leaves["judges check"].format_help()
    assert "--model MODEL" in text and "--model-deadline" not in text
    assert "--model-deadline SECONDS" in leaves["judges check"].format_help_all()
    for row in commands():
        assert main([*row.name.split(), "--help-all"]) == 0
        assert capsys.readouterr().out.startswith(f"usage: drr {row.name}")

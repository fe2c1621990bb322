"""Each choice that others could make says beside its type what it can do, and one check reads that for every command."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from drr.app.commands.parser import parser_of
from drr.app.commands.table import command_of
from drr.app.study.study_file import _OF_A_CALL
from drr.app.study.study_plan import StudyPlan
from drr.env.powers import power_of
from drr.env.query import Query
from drr.env.settings import Settings, resolve
from pydantic import BaseModel

from tests.commands import Drr
from tests.security.test_vouching import KEY, SONNET, New, as_a_stranger
from tests.wire import Say, Wire

CLOSED = (int, float, bool, type(None))


def is_closed(kind: Any) -> bool:
    """Numbers, switches, a few words, and models or lists of such: nothing of it can be opened, run or sent."""
    if get_origin(kind) in (Union, UnionType, list, tuple, dict):
        return all(is_closed(part) for part in get_args(kind) if part is not ...)
    if get_origin(kind) is Annotated:  # an identifier of one form
        return is_closed(get_args(kind)[0]) or any("pattern" in repr(one) for one in get_args(kind)[1:])
    if get_origin(kind) is Literal or kind in CLOSED:
        return True
    return isinstance(kind, type) and issubclass(kind, BaseModel)


@pytest.mark.parametrize("model", [Settings, StudyPlan, Query])
def test_a_choice_of_an_open_form_says_what_it_can_do(model: type[BaseModel]) -> None:
    kept = {"service"}  # a talk of before 0.4 is kept as it was, and nobody reads it
    silent = [
        name
        for name, field in model.model_fields.items()
        if power_of(field) is None and not is_closed(field.annotation) and name not in kept
    ]
    limits = {"limits"} if model is StudyPlan else set()  # its names and numbers are checked one by one
    assert {*silent} - limits == {one for one in silent if one in ("id", "task_id", "person_id", "size")}


def test_each_key_of_a_study_file_is_declared() -> None:
    """What is no field of the plan or of the settings has no declaration, and so may not stand in a file."""
    run = parser_of(command_of("run"))
    known = {*Settings.model_fields, *StudyPlan.model_fields, *_OF_A_CALL}

    def open_ones(actions: Iterable[argparse.Action]) -> set[str]:
        return {one.dest for one in actions if one.nargs != 0 and one.choices is None}

    assert open_ones(run._option_string_actions.values()) <= known


MEMORY = """
from pathlib import Path
Path(MARK).write_text("ran")

class Evil:
    version = "1"
"""


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_memory_that_only_a_file_names_does_not_run(
    drr: Drr, new: New, box: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    mark = tmp_path / "mark"
    Path("evil.py").write_text(MEMORY.replace("MARK", repr(str(mark))))
    text = f"shop: {box / 'shop'}\nqueries: queries.jsonl\nsettings: memory:evil.py:Evil\n"
    Path("study.yaml").write_text(text)
    Path("queries.jsonl").write_bytes((box / "queries.jsonl").read_bytes())
    assert drr("run", *new(), "--quiet")[0] == 0, "the shop is this user's"
    code, out, err = drr("run", "study.yaml", "--quiet", *more)
    assert (code, out) == (2, "") and "names the memory" in err and not mark.exists()


def test_what_a_file_of_others_reads_is_asked_about(drr: Drr, new: New, box: Path, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    away = tmp_path / "away"
    away.mkdir()
    head = f"study: other\nshop: {box / 'shop'}\nvariants: react\n"
    (away / "queries.jsonl").write_bytes((box / "queries.jsonl").read_bytes())
    for key, place in (("contexts", tmp_path), ("queries", box / "queries.jsonl"), ("persons", box)):
        (away / "study.yaml").write_text(f"{head}{key}: {place}\n")
        code, _, err = drr("run", away / "study.yaml", "--dry-run")
        assert code == 2 and f"names the {key} {place}" in err, err
    (away / "study.yaml").write_text(f"{head}queries: queries.jsonl\nsandbox: {box / 'sandbox'}\n")
    assert "names the web in" in drr.err("run", away / "study.yaml", "--dry-run")
    assert drr("run", away / "study.yaml", "--dry-run", "--sandbox", box / "sandbox")[0] == 0


@pytest.mark.parametrize(
    "words", [("judge",), ("report",), ("study", "status"), ("bundle", "make"), ("run",)], ids=" ".join
)
def test_a_file_of_others_names_no_study_of_this_user(
    drr: Drr, new: New, tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    before = (Path("study") / "ledger.sqlite").read_bytes()
    away = tmp_path / "away"
    away.mkdir()
    file = away / "study.yaml"
    file.write_text(f"study: {Path('study').absolute()}\njudges: [offline]\n")
    code, out, err = drr(*words, file, *(("--out", "b.zip") if words[0] == "bundle" else ()))
    assert (code, out) == (2, "") and "names the study" in err, err
    assert (Path("study") / "ledger.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "line"), [("drr.toml", 'anthropic_api_key = "{}"'), (".env", "ANTHROPIC_API_KEY={}")]
)
def test_a_key_of_the_working_folder_is_not_used_unasked(
    drr: Drr, new: New, file: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = KEY.replace("this-user", "somebody")
    Path(file).write_text(line.format(theirs) + "\n")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with Wire(lambda request: Say("A report.")) as wire:
        _, _, err = drr("run", *new(), "--model", SONNET, "--base-url", wire.url, "--quiet")
        assert theirs not in err and "agree to it at a terminal" in err and "anthropic_api_key" in err
        assert all(theirs not in str(request.headers) for request in wire.requests)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        drr("run", *new(), "--model", SONNET, "--base-url", wire.url, "--quiet", "--retry-failed")
        assert wire.requests and all(theirs not in str(request.headers) for request in wire.requests)
        assert any(KEY in str(request.headers) for request in wire.requests)
    assert "agree to it" not in drr("run", *new(), "--dry-run")[2], (
        "a key that nothing needs is not asked about"
    )


def test_this_users_own_settings_go_before_a_key_of_the_folder(tmp_path: Path, drr: Drr) -> None:
    own = tmp_path / "config" / "drr" / "settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'openai_api_key = "{KEY}"\n')
    Path("drr.toml").write_text('openai_api_key = "sk-theirs"\nserper_api_key = "theirs"\n')
    found = resolve({}, environ={"XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert found.settings.openai_api_key is not None
    assert found.settings.openai_api_key.get_secret_value() == KEY
    assert found.settings.serper_api_key is None
    assert [one.name for one in found.withheld] == ["serper_api_key"]


@pytest.mark.parametrize(
    ("name", "value", "usual"),
    [
        ("respect_robots", "false", True),
        ("fetch_max_bytes", "90000000000", 5_000_000),
        ("library_tracing", "true", False),
        ("elasticsearch_ca_file", '"ca.pem"', None),
    ],
)
def test_others_do_not_decide_what_goes_over_the_network(
    name: str, value: str, usual: object, drr: Drr
) -> None:
    Path("drr.toml").write_text(f"{name} = {value}\n")
    found = resolve({}, environ={})
    assert getattr(found.settings, name) == usual
    assert [one.name for one in found.withheld] == [name]
    named = resolve({}, environ={f"DRR_{name.upper()}": value.strip('"')})
    assert str(getattr(named.settings, name)).lower() == value.strip('"')


def test_a_study_of_others_decides_nothing_of_it_either(
    drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    changes = (("[settings]\n", "[settings]\nrespect_robots = false\n"),)
    text = (Path("study") / "study.toml").read_text("utf-8")
    assert "respect_robots = true" in text
    as_a_stranger(Path("study"), monkeypatch, ("respect_robots = true\n", ""), *changes)
    code, _, err = drr("judge", "study", "--what", "rules", "--quiet")
    assert code == 0, err
    assert "respect_robots" not in err, "nothing is fetched"


def test_a_program_of_the_folder_is_left_out_where_nobody_asks(drr: Drr) -> None:
    """`bundle verify` and others resolve settings without a question: they use nothing of others that runs or is read."""
    Path("drr.toml").write_text('tools = ["evil.py:tool"]\nprompts = "theirs"\nsandbox = "web"\n')
    left = resolve({}, environ={}).settings
    assert (left.tools, left.prompts, left.sandbox) == ((), None, None)
    own = resolve({}, environ={"DRR_PROMPTS": "mine"}).settings
    assert own.prompts == Path("mine")


def test_a_bundle_is_verified_without_the_tools_of_the_folder(
    drr: Drr, new: New, box: Path, tmp_path: Path
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    assert drr("bundle", "make", "study", "--out", "b.bundle", "--quiet")[0] == 0
    mark = tmp_path / "mark"
    Path("evil.py").write_text(
        f"open({str(mark)!r}, 'w').close()\ndef tool(product_id: str, ctx):\n    'x'\n"
    )
    for name, text in (("drr.toml", 'tools = ["evil.py:tool"]\n'), (".env", "DRR_TOOLS=evil.py:tool\n")):
        Path(name).write_text(text)
        assert drr("bundle", "verify", "b.bundle", "--shop", box / "shop", "--quiet")[0] == 0
        assert drr("board", "b.bundle", "--shop", box / "shop", "--out", "site", "--quiet")[0] == 0
        Path(name).unlink()
    assert not mark.exists()

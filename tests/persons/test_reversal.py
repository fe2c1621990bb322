"""A model tells persons back from their contexts: it is shown no attribute, is asked once, and the second call alone says what it meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases import cases
from tests.commands import drr
from tests.persons.remembering import CLUES, STATEMENTS, folder
from tests.wire import Fail, Reply, Request, Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"
NAMED = cases("persons", "NAMED")


def body(request: Request) -> str:
    return json.dumps(request.body, ensure_ascii=False)


def is_naming(request: Request) -> bool:
    return "guess" not in body(request)


def scripted(request: Request) -> Reply:
    """Of the first person, by its second list: the dog twice, the place, and numbers that are in no list."""
    if is_naming(request):
        return Say(json.dumps({"attributes": NAMED}))
    if STATEMENTS[0][1] not in body(request):
        return Say(json.dumps({"pairs": []}))
    pairs = [(1, 1), (2, 1), (3, 8), (9, 2), (4, 11), (0, 3)]
    return Say(json.dumps({"pairs": [{"named": named, "known": known} for named, known in pairs]}))


def test_what_is_told_back_is_reported_and_paid_for_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contexts = folder(tmp_path)
    with Wire(scripted) as wire:
        asked = (
            "papers",
            "context",
            "check",
            contexts,
            "--json",
            "--quiet",
            "--model",
            MODEL,
            "--base-url",
            wire.url,
        )
        drr(*asked)
        found = json.loads(capsys.readouterr().out)["reversal"]
        assert (found["model"], found["size"], found["failures"]) == (MODEL, "2k", {})
        assert found["recall"]["value"] == pytest.approx((2 / 10 + 0 / 3) / 2)
        assert found["precision"]["value"] == pytest.approx((3 / 4 + 0 / 4) / 2)
        assert found["blocks"]["pets"] == {"found": 1, "of": 2}
        assert len(wire.requests) == 4
        drr(*asked)
        assert len(wire.requests) == 4
        assert json.loads(capsys.readouterr().out)["reversal"] == found
    for request in wire.requests:
        assert any(said in body(request) for _, said in STATEMENTS) <= (not is_naming(request))
        assert any(clue in body(request) for clue in CLUES) <= is_naming(request)


def test_a_stop_between_the_calls_pays_only_for_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contexts = folder(tmp_path)

    def broken(request: Request) -> Reply:
        return scripted(request) if is_naming(request) else Fail(400, "invalid_request_error", "no")

    asked = ("papers", "context", "check", contexts, "--quiet", "--model", MODEL, "--persons-limit", "1")
    with Wire(broken) as wire:
        assert drr(*asked, "--base-url", wire.url) == 1
    assert "not told back" in capsys.readouterr().out
    with Wire(scripted) as wire:
        drr(*asked, "--retry-failed", "--base-url", wire.url)
        assert [is_naming(request) for request in wire.requests] == [False]
    assert f"reversal by {MODEL} from 2k: recall 0.20" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    cases("persons", "test_what_cannot_be_asked_is_misuse_before_anything_is_paid", globals()),
)
def test_what_cannot_be_asked_is_misuse_before_anything_is_paid(
    words: tuple[str, ...],
    why: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert drr("papers", "context", "check", folder(tmp_path), *words) == 2
    told = capsys.readouterr()
    assert (told.out, why in told.err) == ("", True)
    assert not (tmp_path / "contexts.reversal").exists()

"""What is hidden is a key, and nothing that only looks like one to a careless search is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from drr.app.cli import main
from drr.app.models import models_of
from drr.app.workers import sent_settings
from drr.env.settings import resolve
from drr.llm.factory import Models, ModelSettings
from drr.llm.secrets import Redactor, can_be_key
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import SecretStr

KEY = "sk-ant-api03-of-this-user-0123456789"
PLAIN = [
    "test", "pillow", "null", "true", "none", "EMPTY", "dummy-key", "12345678901234567890", "a" * 40,
    "not a key at all 1",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_a_word_is_no_key(text: str) -> None:
    assert not can_be_key(text)
    assert Redactor([text]).known(f"a {text} is soft") == f"a {text} is soft"


@pytest.mark.parametrize(
    "text", [KEY, "sk-1234", "0123456789abcdef0123456789abcdef01234567", "VnVhQ2ZHY0JDZGJrU1FE:dWkybHAyYWN0"]
)
def test_a_key_is_hidden(text: str) -> None:
    assert can_be_key(text)
    assert text not in Redactor([text])(f"x-api-key {text}.")


def test_a_key_that_a_server_writes_back_goes_no_further() -> None:
    call = {"name": "calculator", "args": {"expression": KEY}, "id": f"call-{KEY}", "type": "tool_call"}
    echoed = AIMessage(f"You sent {KEY}.", tool_calls=[call], response_metadata={"headers": [KEY]})
    left = Redactor([KEY]).message(echoed)
    assert KEY not in left.model_dump_json() and left.tool_calls[0]["name"] == "calculator"
    plain = AIMessage("Nothing of the kind.")
    assert Redactor([KEY]).message(plain) is plain


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_plain_data_without_a_key_stays_as_it_is(value: Any) -> None:
    assert Redactor([*PLAIN, KEY]).values(value) == value


@given(st.text(min_size=20), st.text(), st.text())
def test_a_key_is_found_in_a_text_and_in_json(key: str, before: str, after: str) -> None:
    redact = Redactor([key])
    if can_be_key(key) and key not in before + after:
        for ascii_only in (True, False):
            hidden = redact.known(json.dumps({"text": f"{before} {key} {after}"}, ensure_ascii=ascii_only))
            assert key not in json.loads(hidden)["text"]


@pytest.mark.parametrize("word", PLAIN)
def test_a_plain_word_given_as_a_key_is_not_sent(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", word)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    keys = models_of(resolve({"base_url": "http://127.0.0.1:9"}).settings).settings.keys
    assert keys["openai"] is None
    assert keys["anthropic"] == SecretStr(KEY)


@pytest.mark.parametrize(
    ("key", "kept", "hits"),
    [("pillow", "A pillow of null down, true and soft.", None), (KEY, "A [hidden] of down.", 1)],
)
async def test_evidence_is_kept_as_it_was_and_what_was_hidden_is_counted(
    tmp_path: Path, key: str, kept: str, hits: int | None
) -> None:
    text = kept.replace("[hidden]", key)
    models = Models(ModelSettings({"default": "offline"}, keys={"openai": SecretStr(key)}))

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        return Outcome({"none": None, "pillow": True, "title": text}, {"text:1": text})

    with Study.create(tmp_path / "study", {"schema": 1}) as study:
        await run(study, [Unit("answer", {"n": 1}, {}, "one")], work, models=models)
        (record,) = study.records("answer")
        assert study.text(record, "text:1") == kept
        assert record.result.get("redacted") == hits
        assert {k: v for k, v in record.result.items() if k != "redacted"} == {
            "none": None,
            "pillow": True,
            "title": kept,
        }


@pytest.mark.parametrize("user", ["me:pw", "me:p%40ss", "me:h%C3%BCte", "me:sk-0123456789abcdef"])
def test_a_password_in_an_address_is_shown_nowhere(
    user: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"http://{user}@127.0.0.1:9/v1"
    redact = Redactor([], [address])
    for form in (user, unquote(user)):
        assert form not in redact(f"connection to http://{form}@127.0.0.1:9/v1/messages failed")
    assert redact("the pw of it") == "the pw of it"
    monkeypatch.setenv("DRR_BASE_URL", address)
    assert main(["settings"]) == 0
    assert user not in capsys.readouterr().out
    assert main(["settings", "--json"]) == 0
    assert user not in capsys.readouterr().out
    assert sent_settings(resolve({}).settings)["base_url"] == "http://127.0.0.1:9/v1"

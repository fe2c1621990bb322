"""A password in an address, or a key in a text, is printed and kept nowhere, however it is spelt and whatever goes wrong."""

from __future__ import annotations

import json
import sqlite3
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from drr.app.models.setup import models_of
from drr.app.study.workers import sent_settings
from drr.env.errors import Misuse
from drr.env.settings import Settings, StudyChoices, resolve
from drr.env.trust import ServerAddress, hosts_of, printable_address
from drr.llm.factory import Models
from drr.llm.failures import ModelSetupError
from drr.llm.models import ModelSettings
from drr.llm.secrets import Redactor, can_be_key
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel, SecretStr

from tests.cases import table
from tests.commands import Drr
from tests.wire import Fail, Wire

SONNET = "anthropic:claude-sonnet-5-5"
SECRET = "Gr8Horse"
New = Callable[..., list[str]]


@table("security", "whom_an_address_reaches_is_shown")
def test_whom_an_address_reaches_is_shown(address: str, told: str) -> None:
    assert printable_address(address) == told
    assert str(ServerAddress(address)) == told
    assert repr(ServerAddress(address)) == f"ServerAddress({told!r})"


ODD = st.text(st.sampled_from("/@:?#%&=,;[]\\ .-+aZ0"), max_size=5)


@given(st.sampled_from(["http", "https", "mongodb", "socks5"]), ODD, ODD, st.booleans())
@example("https", "p@ss/w:rd", "", False)
@example("https", "12/", "", False)
@example("mongodb", "@x/?", "", False)
@example("http", "@", "/?=", False)
@example("mongodb", "@", "/?a=", False)
def test_no_spelling_of_a_password_is_shown(scheme: str, before: str, after: str, escaped: bool) -> None:
    password = before + SECRET + after
    address = f"{scheme}://me:{quote(password, safe='') if escaped else password}@models.example:8443/v1"
    assert SECRET not in printable_address(address)
    assert SECRET not in (hosts_of(address) or "")
    if escaped:
        assert hosts_of(address) == "models.example:8443"


@table("security", "what_is_no_address_is_not_shown")
def test_what_is_no_address_is_not_shown(text: str) -> None:
    assert SECRET not in printable_address(text)
    with pytest.raises(ModelSetupError) as caught:
        Models(ModelSettings({"default": SONNET}, base_url=text)).check(["agent"])
    assert SECRET not in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize("password", ["p@ss/w:rdGr8Horse", "Gr8Horse@", "a?Gr8Horse#"])
@pytest.mark.parametrize("name", ["DRR_BASE_URL", "DRR_MONGODB_URL", "DRR_ELASTICSEARCH_URL", "HTTPS_PROXY"])
def test_commands_tell_no_secret(drr: Drr, name: str, password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = "mongodb" if "MONGO" in name else "http"
    monkeypatch.setenv("DRR_SERVER_TIMEOUT", "0.05")
    monkeypatch.setenv(name, f"{scheme}://me:{password}@127.0.0.1:9/v1")
    commands = [("env", "settings"), ("env", "settings", "--json"), ("doctor", "--json")]
    if "_URL" in name:
        commands.append(("shop", "info", "servers:garden"))
    for words in commands:
        code, out, err = drr(*words)
        assert SECRET not in out + err, words
        assert code in (0, 1, 2)
        assert "Traceback" not in err


def test_an_address_that_reaches_another_host_than_was_meant_is_refused(drr: Drr) -> None:
    """`me:p@ss/w:rd@host` is the host `ss` to every client: it would be sent the questions."""
    asking = ("ask", "a feeder", "--shop", "x", "--user", "u")
    code, out, err = drr(*asking, "--base-url", "https://me:p@ss/w:rd@host/v1")
    assert (code, out, len(err.splitlines())) == (2, "", 1) and "%2F" in err and "ss/" not in err


def test_a_study_has_no_secret(drr: Drr, new: New, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-of-this-user-0123456789")
    with Wire(lambda request: Fail(400, "invalid_request_error")) as wire:
        address = wire.url.replace("://", f"://me:{SECRET}%40x@")
        monkeypatch.setenv("DRR_BASE_URL", address)
        code, out, err = drr("run", *new(), "--model", SONNET, "--json", "--quiet")
        assert code != 0
        assert wire.requests
        assert SECRET not in out + err
        for words in (
            ("judge", "study", "--judge", SONNET, "--json"),
            ("study", "trace", "study"),
            ("status", "study", "--json"),
        ):
            _, out, err = drr(*words)
            assert SECRET not in out + err, words
        text = Path("study", "study.toml").read_text()
        assert f'base_url = "{wire.url}"' in text
        # What is continued is spoken to with the password that this user names, now as then.
        found = resolve({}, study=StudyChoices(Path("study"), {"base_url": wire.url}))
        assert found.settings.base_url == ServerAddress(address)
        assert found.origin["base_url"] == "environment"
    for path in Path("study").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    with closing(sqlite3.connect("study/ledger.sqlite")) as ledger:
        rows = ledger.execute("SELECT count(*) FROM records").fetchone()
    assert rows[0] > 0


def test_no_form_of_the_settings_has_a_password() -> None:
    with pytest.raises(Misuse) as caught:
        resolve({"base_url": 5}, environ={"DRR_MONGODB_URL": f"mongodb://me:{SECRET}@x"})
    assert SECRET not in str(caught.value)
    address = f"https://me:{SECRET}@models.example/v1"
    settings = Settings(base_url=address, mongodb_url=SecretStr(f"mongodb://me:{SECRET}@x"))
    told = [repr(settings), str(settings), settings.model_dump_json(), json.dumps(sent_settings(settings))]
    try:
        _Wrong.model_validate({"settings": settings, "more": 1})
    except ValueError as error:
        told += traceback.format_exception(error)
    assert len(told) > 4 and all(SECRET not in text for text in told)
    assert all("models.example" in text for text in told[:2])


class _Wrong(BaseModel):
    settings: Settings
    more: list[int]


@pytest.mark.parametrize(
    "proxy",
    ["ftp://me:Gr8Horse@127.0.0.1:1", "http://me:x/Gr8Horse@127.0.0.1:1", "http://me:Gr8Horse@127.0.0.1:x"],
)
@pytest.mark.parametrize("model", [SONNET, "openai:gpt"])
def test_a_proxy_that_is_none_is_said_in_one_line(
    drr: Drr, new: New, proxy: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, proxy)
    code, out, err = drr("run", *new(), "--model", model, "--base-url", "http://127.0.0.1:9/v1", "--quiet")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "HTTPS_PROXY" in err and SECRET not in err


KEY = "sk-ant-api03-of-this-user-0123456789"
PLAIN = [
    "test", "pillow", "null", "true", "none", "EMPTY", "dummy-key", "12345678901234567890", "a" * 40,
    "not a key at all 1",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_a_word_is_no_key(text: str) -> None:
    assert not can_be_key(text)
    assert Redactor([text]).known(f"a {text} is soft") == f"a {text} is soft"
    for key in (
        KEY,
        "sk-1234",
        "0123456789abcdef0123456789abcdef01234567",
        "VnVhQ2ZHY0JDZGJrU1FE:dWkybHAyYWN0",
    ):
        assert can_be_key(key) and key not in Redactor([key])(f"x-api-key {key}.")


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
async def test_evidence_is_kept_as_it_was(tmp_path: Path, key: str, kept: str, hits: int | None) -> None:
    text = kept.replace("[hidden]", key)
    models = Models(ModelSettings({"default": "offline"}, keys={"openai": SecretStr(key)}))

    async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
        return Outcome({"none": None, "pillow": True, "title": text}, {"text:1": text})

    with Study.create(tmp_path / "study", {"schema": 1}) as study:
        await run(study, [Unit("answer", {"n": 1}, {}, "one")], work, models=models)
        (record,) = study.records("answer")
        assert study.text(record, "text:1") == kept
        assert record.result.get("redacted") == hits
        plain = {k: v for k, v in record.result.items() if k != "redacted"}
        assert plain == {"none": None, "pillow": True, "title": kept}


@pytest.mark.parametrize("user", ["me:pw", "me:p%40ss", "me:h%C3%BCte", "me:sk-0123456789abcdef"])
def test_a_password_in_an_address_is_shown_nowhere(
    user: str, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    address = f"http://{user}@127.0.0.1:9/v1"
    redact = Redactor([], [address])
    for form in (user, unquote(user)):
        assert form not in redact(f"connection to http://{form}@127.0.0.1:9/v1/messages failed")
    assert redact("the pw of it") == "the pw of it"
    monkeypatch.setenv("DRR_BASE_URL", address)
    for form in ((), ("--json",)):
        assert user not in drr.out("env", "settings", *form)
    assert sent_settings(resolve({}).settings)["base_url"] == "http://127.0.0.1:9/v1"

"""Servers of one's own: what the libraries say of them, how slowly they speak, and where each role's stands."""

from __future__ import annotations

import logging

import pytest
from drr.llm.calls import Retries
from drr.llm.factory import Models, ModelSettings
from drr.llm.failures import ModelFailure
from drr.llm.models import chat_model
from langchain_core.messages import HumanMessage


async def test_proxies_warn_nobody_and_failures_name_the_host(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from langchain_openai.chat_models import _client_utils

    monkeypatch.setattr(_client_utils, "_proxy_env_warning_emitted", False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    with caplog.at_level(logging.WARNING):
        chat_model("openai:small", base_url="http://127.0.0.1:9/v1")
    assert caplog.text == ""
    settings = ModelSettings({"default": "openai:small"}, base_url="http://me:hush@127.0.0.1:9/v1")
    models = Models(settings, retries=Retries(attempts=1))
    with pytest.raises(ModelFailure, match=r"at 127\.0\.0\.1:9") as caught:
        await models.role("agent").reply([HumanMessage("hello")])
    assert caught.value.kind == "connection" and "hush" not in str(caught.value)
    await models.aclose()

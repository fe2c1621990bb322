"""Servers of one's own: what the libraries say of them, how slowly they speak, and where each role's stands."""

from __future__ import annotations

import logging

import pytest
from drr.llm.models import chat_model


def test_a_proxy_in_the_environment_brings_no_warning_of_a_library(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from langchain_openai.chat_models import _client_utils

    monkeypatch.setattr(_client_utils, "_proxy_env_warning_emitted", False)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    with caplog.at_level(logging.WARNING):
        chat_model("openai:small", base_url="http://127.0.0.1:9/v1")
    assert caplog.text == ""

"""No key and no redirection of whoever runs the tests reaches them."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "LANGSMITH_GATEWAY", "LANGSMITH_TRACING",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)

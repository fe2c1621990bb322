"""The window that a model's maker states: how much it reads in one request."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from drr.llm.names import parse_name

_PAGES = {
    "anthropic": "langchain_anthropic.data._profiles",
    "openai": "langchain_openai.data._profiles",
}


def input_tokens(name: str) -> int | None:
    """Find the tokens that `PROVIDER:MODEL` takes, from the model pages of the provider's client; `None` where they do not say."""
    return profile_of(name).get("max_input_tokens") or None


def profile_of(name: str) -> Mapping[str, Any]:
    """Read what its maker's pages say of `PROVIDER:MODEL`; empty where they say nothing."""
    provider, model = parse_name(name)
    if provider not in _PAGES:
        return {}
    try:
        pages: Mapping[str, Mapping[str, Any]] = import_module(_PAGES[provider])._PROFILES
    except ImportError:
        return {}
    return pages.get(model, {})

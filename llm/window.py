"""How much a model reads in one request, where its maker says so."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from drr.llm.models import parse_name

_PAGES = {
    "anthropic": "langchain_anthropic.data._profiles",
    "openai": "langchain_openai.data._profiles",
}


def input_tokens(name: str) -> int | None:
    """Of `PROVIDER:MODEL`, from the model pages of the provider's client; `None` where they do not say."""
    provider, model = parse_name(name)
    if provider not in _PAGES:
        return None
    try:
        pages: Mapping[str, Mapping[str, Any]] = import_module(_PAGES[provider])._PROFILES
    except ImportError:
        return None
    return pages.get(model, {}).get("max_input_tokens") or None

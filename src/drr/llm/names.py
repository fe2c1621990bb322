"""Models' names: the provider in a name, and whether an address is this machine or the provider's own server."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from drr.llm.failures import ModelSetupError

OFFLINE = "offline"
NO_MODEL = "none"
"""The model's name in the record of a sandboxed command that called no model."""
PROVIDERS = ("anthropic", "openai", "ollama")
_FAMILIES = {
    "gpt-": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "llama": "ollama",
    "qwen": "ollama",
}
"""Beginnings of models' names that are often written without their provider."""
DEFAULT_ADDRESS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}


class ModelName(NamedTuple):
    provider: str
    model: str


def parse_name(name: str) -> ModelName:
    """Split a name, `offline` or PROVIDER:MODEL, into provider and model."""
    if name == OFFLINE:
        return ModelName(OFFLINE, OFFLINE)
    provider, colon, model = name.partition(":")
    if provider not in PROVIDERS or not colon or not model.strip():
        known = ", ".join(f"{p}:MODEL" for p in PROVIDERS)
        guess = next((whose for start, whose in _FAMILIES.items() if name.startswith(start)), None)
        hint = f"did you mean {guess}:{name}?" if guess and not colon else f"use {OFFLINE} or {known}"
        raise ModelSetupError(f"model {name!r}: not a model's name; {hint}")
    return ModelName(provider, model)


def is_name(name: str) -> bool:
    """Tell whether a text is `offline` or PROVIDER:MODEL."""
    try:
        parse_name(name)
    except ModelSetupError:
        return False
    return True


def is_loopback(address: str | None) -> bool:
    """Tell whether an address is on this machine; `127.0.0.1.example.com` is not."""
    if not address or set(address) & set("\\ \t\r\n"):
        return False
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port  # a port that is none is a ValueError
        if parts.scheme not in ("http", "https"):
            return False
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(address: str | None) -> str | None:
    """Return the host and port of an address, without user name and password."""
    return urlsplit(address).netloc.rpartition("@")[2] if address else None


def is_providers_own(provider: str, address: str | None) -> bool:
    """Tell whether an address belongs to the provider, so that the provider's key reaches no other server."""
    own = DEFAULT_ADDRESS.get(provider)
    if own is None or address is None:
        return address is None
    asked, known = urlsplit(address), urlsplit(own)
    return (asked.scheme, asked.netloc.lower()) == (known.scheme, known.netloc)


_PAGES = {
    "anthropic": "langchain_anthropic.data._profiles",
    "openai": "langchain_openai.data._profiles",
}


def input_tokens(name: str) -> int | None:
    """Return how many input tokens `PROVIDER:MODEL` accepts, by the model data of the provider's client; `None` if unknown."""
    return profile_of(name).get("max_input_tokens") or None


def profile_of(name: str) -> Mapping[str, Any]:
    """Return the model data of the provider's client on `PROVIDER:MODEL`; empty where there is none."""
    provider, model = parse_name(name)
    if provider not in _PAGES:
        return {}
    try:
        pages: Mapping[str, Mapping[str, Any]] = import_module(_PAGES[provider])._PROFILES
    except ImportError:
        return {}
    return pages.get(model, {})

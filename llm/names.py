"""The contents of a model's name: its provider, whose address is the machine itself, whose is the provider's
own. Nothing of LangChain is loaded."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from drr.llm.failures import ModelSetupError

OFFLINE = "offline"
PROVIDERS = ("anthropic", "openai", "ollama")
DEFAULT_ADDRESS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}


class ModelName(NamedTuple):
    provider: str
    model: str


def parse_name(name: str) -> ModelName:
    """`offline`, or PROVIDER:MODEL."""
    if name == OFFLINE:
        return ModelName(OFFLINE, OFFLINE)
    provider, colon, model = name.partition(":")
    if provider not in PROVIDERS or not colon or not model.strip():
        known = ", ".join(f"{p}:MODEL" for p in PROVIDERS)
        raise ModelSetupError(f"model {name!r}: not a model's name; use {OFFLINE} or {known}")
    return ModelName(provider, model)


def is_name(name: str) -> bool:
    """True for `offline` and PROVIDER:MODEL."""
    try:
        parse_name(name)
    except ModelSetupError:
        return False
    return True


def is_loopback(address: str | None) -> bool:
    """Tell whether this is the machine itself: `127.0.0.1.example.com` is not."""
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


def is_providers_own(provider: str, address: str | None) -> bool:
    """Tell whether what is sent there reaches the provider whose key goes along, and nobody else."""
    own = DEFAULT_ADDRESS.get(provider)
    if own is None or address is None:
        return address is None
    asked, known = urlsplit(address), urlsplit(own)
    return (asked.scheme, asked.netloc.lower()) == (known.scheme, known.netloc)

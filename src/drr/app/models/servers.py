"""Servers at which models are called: who named them, which key they get, and the facts that they report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.app.notices import notice
from drr.env.asked_at import (
    OWN,
    address_of,
    address_setting,
    key_for,
    key_place,
    provider_of,
    providers_of_base,
)
from drr.env.json_object import JsonObject
from drr.env.settings import MODEL_ADDRESSES, ROLES, Resolved, Settings
from drr.env.trust import ServerAddress, is_loopback, origin_of
from drr.llm.names import PROVIDERS, is_providers_own
from drr.llm.secrets import can_be_key
from pydantic import SecretStr

if TYPE_CHECKING:
    from drr.llm.models import ModelServer

_LARGEST = 1 << 20
"""Largest page of facts that is read from a server, in bytes."""
_CALLED = tuple(role for role in ROLES if role != "embedder")
_NO_CALLS = "no-key-as-nothing-is-called"


def base_server(settings: Settings, *, calls: bool = True) -> ModelServer:
    """Return the server of all roles without an own server: `base_url`, or the providers' servers."""
    setting = None if settings.base_url is None else "base_url"
    provider = "openai" if "openai" in providers_of_base(settings) else ""
    return _server(settings, setting, provider, "", calls=calls)


def servers_of(settings: Settings, *, calls: bool = True) -> dict[str, ModelServer]:
    """Return servers by role (if it has its own address or key) and by provider (except the provider of `base_url`)."""
    found = {}
    if settings.base_url is not None:
        own = providers_of_base(settings) or {*PROVIDERS}
        found = {name: _server(settings, None, name, "", calls=calls) for name in sorted({*PROVIDERS} - own)}
    for role in ROLES:
        setting = address_setting(settings, role)
        if setting not in (None, "base_url") or role in settings.role_keys:
            provider = provider_of(settings.model_for(role))
            found[role] = _server(settings, setting, provider, role, calls=calls)
    return found


def _server(settings: Settings, setting: str | None, provider: str, role: str, *, calls: bool) -> ModelServer:
    from drr.llm.models import ModelServer

    keys = {name: key_for(settings, setting, name, role) for name in OWN}
    real = {
        name: key if key is not None and can_be_key(key.get_secret_value()) else None
        for name, key in keys.items()
    }
    why, slots = reason_not_to_call(settings, setting), None
    if calls:
        slots = _ask_server(settings, setting, provider, role).slots
        why = why or (_why_no_key(settings, setting, role) if role and not real.get(provider) else None)
    return ModelServer(
        None if setting is None else getattr(settings, setting),
        real if calls else dict.fromkeys(PROVIDERS, SecretStr(_NO_CALLS)),
        why,
        min(slots or settings.concurrency, settings.concurrency),
    )


def reason_not_to_call(settings: Settings, setting: str | None = "base_url") -> str | None:
    """Return the reason why no model may be called at a setting's address, or `None`. An address that somebody else named is refused, unless it is a provider's own."""
    who = None if setting is None else settings.unnamed.get(setting)
    if setting is None or who is None:
        return None
    address = text_of(getattr(settings, setting))
    if address is None or any(is_providers_own(provider, address) for provider in PROVIDERS):
        return None
    place = origin_of(address)
    return (
        f"{who} names the address {place} for models, and you did not: nothing is sent there;"
        f" --trust-address {place} if you know whose it is, or name another with --{setting.replace('_', '-')}"
    )


class StrangeChoice(NamedTuple):
    """A choice of others about the network, which these settings would use."""

    folder: Path | None
    """The folder that names it; `None` where every folder of the call is meant."""
    kind: str
    value: str
    question: str
    refusal: str | None
    """Sentence for a call where nobody agrees; `None` where the refused model call says it."""


def strange_choices(found: Resolved) -> Iterator[StrangeChoice]:
    """Yield addresses for models, keys and other choices about the network that only others made."""
    settings = found.settings
    for name in MODEL_ADDRESSES if calls_a_model(settings) else ():
        if reason_not_to_call(settings, name) is not None:
            place = origin_of(text_of(getattr(settings, name)) or "")
            who = settings.unnamed[name]
            question = f"{who} sends what models are asked, with your key, to {place}"
            yield StrangeChoice(None, "address", place, question, None)
    for name, layer, mark in found.withheld:
        if _is_used(name, settings):
            question = f"{layer.label} names {name}, which you did not name"
            yield StrangeChoice(
                layer.stranger,
                "key",
                mark,
                question,
                f"{layer.label} names {name}, and you did not: not used; agree to it at a terminal, or name it"
                f" yourself (DRR_{name.upper()}, or your own settings.toml)",
            )


def calls_a_model(settings: Settings, roles: Iterable[str] | None = None) -> bool:
    """Return True if a model is called in one of these roles; without `roles`, in any role."""
    asked = (*_CALLED, *settings.role_models) if roles is None else roles
    return any(name != "offline" for name in (*map(settings.model_for, asked), *(settings.models or ())))


def _is_used(setting: str, settings: Settings) -> bool:
    """Tell whether a choice about what goes over the network matters to what these settings call."""
    if setting in ("role_keys", "library_tracing"):
        return calls_a_model(settings)
    if setting in ("serper_api_key", "respect_robots", "fetch_max_bytes"):
        return settings.web != "sandbox"
    models = [*map(settings.model_for, (*ROLES, *settings.role_models)), *(settings.models or ())]
    owner = setting.removesuffix("_api_key")
    return owner not in PROVIDERS or owner in map(provider_of, models)


def say_useless_keys(settings: Settings) -> None:
    used = {settings.model_for(role).partition(":")[0] for role in (*_CALLED, *settings.role_models)}
    keys = {"anthropic": settings.anthropic_api_key, "openai": settings.openai_api_key}
    for provider, key in keys.items():
        if provider in used and key is not None and not can_be_key(key.get_secret_value()):
            notice(
                f"the key for {provider} is too short or too plain to be one: it is not sent; a server of this machine needs none"
            )


def _why_no_key(settings: Settings, setting: str | None, role: str) -> str | None:
    """Return the reason why a role's server gets no key, or `None`. A provider's key goes to one host only."""
    provider = provider_of(settings.model_for(role))
    address = address_of(settings, setting, provider)
    if provider not in ("anthropic", "openai") or address is None or is_loopback(address):
        return None
    return (
        f"{role}: no key for {origin_of(address)}; {provider.upper()}_API_KEY goes to"
        f" {key_place(settings, provider)} only, DRR_ROLE_KEYS={role}=KEY to this one"
    )


class ServerFacts(NamedTuple):
    """Facts that a server reports about itself; `None` where it reports none."""

    kind: str | None = None
    slots: int | None = None
    """Number of answers that the server works on at once."""
    window: int | None = None
    """Size of the context window in tokens, for a request and its answer."""
    images: bool | None = None


def facts_of(settings: Settings, role: str = "agent") -> ServerFacts:
    """Return the facts of a role's server. Only a user's own server is asked, no other."""
    return _ask_server(settings, address_setting(settings, role), provider_of(settings.model_for(role)), role)


def _ask_server(settings: Settings, setting: str | None, provider: str, role: str) -> ServerFacts:
    address = address_of(settings, setting, provider)
    if setting is None or address is None or provider != "openai" or is_providers_own("openai", address):
        return ServerFacts()
    if reason_not_to_call(settings, setting) is not None:
        return ServerFacts()
    if address not in _KNOWN:
        key = key_for(settings, setting, provider, role)
        facts = _facts(address, None if key is None else key.get_secret_value())
        if facts == ServerFacts():  # it may still be loading its model
            return facts
        _KNOWN[address] = facts
    return _KNOWN[address]


def in_flight(settings: Settings, role: str, named: Iterable[str] = ()) -> int:
    """Return how many calls are made at once for a role, also with the `named` models. No server gets more than it works on."""
    each = [settings, *(settings.model_copy(update={"model": name}) for name in named)]
    return min(settings.concurrency, *(facts_of(one, role).slots or settings.concurrency for one in each))


_KNOWN: dict[str, ServerFacts] = {}
"""Facts of each server by address, asked for once in a process."""


def _facts(address: str, key: str | None) -> ServerFacts:
    base = address.rstrip("/")
    props = _page(f"{base.removesuffix('/v1')}/props", key)
    if slots := _count(props.get("total_slots")):
        parts = props.get("default_generation_settings"), props.get("modalities")
        window, modes = (one if isinstance(one, dict) else {} for one in parts)
        sees = modes.get("vision")
        return ServerFacts(
            "llama.cpp", slots, _count(window.get("n_ctx")), sees if sees in (True, False) else None
        )
    rows = _page(f"{base}/models", key).get("data")
    first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
    return ServerFacts(window=_count(first.get("max_model_len")))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _page(url: str, key: str | None) -> JsonObject:
    """Return one small JSON object from an address; empty where there is none."""
    import httpx
    import orjson

    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    try:
        with httpx.stream("GET", url, headers=headers, timeout=3) as answer:
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) > _LARGEST:
                    return {}
            found = orjson.loads(body) if answer.status_code == 200 else {}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def text_of(address: ServerAddress | None) -> str | None:
    return None if address is None else address.get_secret_value()

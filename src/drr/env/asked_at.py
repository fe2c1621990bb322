"""Finds the address and the API key with which each role's model is called. An address serves one provider's models, and a provider's key goes to one host."""

from __future__ import annotations

from drr.env.settings import FOLLOWS, ROLES, Settings
from drr.env.trust import origin_of
from pydantic import SecretStr

OWN = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
"""The address of each provider's own API."""


def provider_of(model: str) -> str:
    return model.partition(":")[0]


def providers_of_base(settings: Settings) -> set[str]:
    """List the providers whose models are reached through `base_url`. They are those of `model` and `models`; if these are offline, the first online role's."""
    alone = ([name] for name in (*map(settings.model_for, ROLES), *settings.role_models.values()))
    for names in ([settings.model, *(settings.models or ())], *alone):
        if found := {provider_of(name) for name in names if ":" in name}:
            return found
    return set()


def address_setting(settings: Settings, role: str) -> str | None:
    """Return the setting that holds the address of a role's model, or `None` for the provider's own address."""
    provider, at = provider_of(settings.model_for(role)), role
    while at in ROLES:
        if getattr(settings, f"base_url_{at}") is not None and _provider(settings, at) == provider:
            return f"base_url_{at}"
        at = FOLLOWS.get(at, "")
    return "base_url" if settings.base_url is not None and provider in providers_of_base(settings) else None


def address_of(settings: Settings, setting: str | None, provider: str) -> str | None:
    """Return the address that a setting holds, or the provider's own address if the setting is `None`."""
    return OWN.get(provider) if setting is None else getattr(settings, setting).get_secret_value()


def key_for(settings: Settings, setting: str | None, provider: str, role: str = "") -> SecretStr | None:
    """Return the API key for the address in a setting. An address that this user did not name gets no key, unless it is the provider's own."""
    address = address_of(settings, setting, provider)
    given = {"anthropic": settings.anthropic_api_key, "openai": settings.openai_api_key}
    place, own = origin_of(address or ""), origin_of(OWN.get(provider, "-"))
    if setting in settings.unnamed:
        return given.get(provider) if place == own else None
    for name in (role, (setting or "").removeprefix("base_url_")):
        if name in settings.role_keys:
            return settings.role_keys[name]
    return given.get(provider) if place == key_place(settings, provider) else None


def key_place(settings: Settings, provider: str) -> str:
    """Return the one host that may receive a provider's key. It is the provider's own host if used, else that of `base_url` or of the first role."""
    named = [address_setting(settings, role) for role in ROLES if _provider(settings, role) == provider]
    named.sort(key=lambda one: one != "base_url")
    named = named or [None if settings.base_url is None else "base_url"]
    places = [origin_of(address_of(settings, one, provider) or "") for one in named]
    own = origin_of(OWN.get(provider, "-"))
    return own if own in places else places[0]


def _provider(settings: Settings, role: str) -> str:
    return provider_of(settings.model_for(role))

"""Address and key of each role's model. An address is for models of one provider, a provider's key for one host."""

from __future__ import annotations

from drr.env.settings import FOLLOWS, ROLES, Settings
from drr.env.trust import place_of
from pydantic import SecretStr

OWN = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
"""The providers' own addresses."""


def provider_of(model: str) -> str:
    return model.partition(":")[0]


def providers_of_base(settings: Settings) -> set[str]:
    """List the providers that `base_url` is for. Those of `model` and `models`; where these are offline, the first role's."""
    alone = ([name] for name in (*map(settings.model_for, ROLES), *settings.role_models.values()))
    for names in ([settings.model, *(settings.models or ())], *alone):
        if found := {provider_of(name) for name in names if ":" in name}:
            return found
    return set()


def address_setting(settings: Settings, role: str) -> str | None:
    """The setting that names the address of a role's model; `None`: its provider's own."""
    provider, at = provider_of(settings.model_for(role)), role
    while at in ROLES:
        if getattr(settings, f"base_url_{at}") is not None and _provider(settings, at) == provider:
            return f"base_url_{at}"
        at = FOLLOWS.get(at, "")
    return "base_url" if settings.base_url is not None and provider in providers_of_base(settings) else None


def address_of(settings: Settings, setting: str | None, provider: str) -> str | None:
    """Find the address by its setting; without one it is the provider's own."""
    return OWN.get(provider) if setting is None else getattr(settings, setting).get_secret_value()


def key_for(settings: Settings, setting: str | None, provider: str, role: str = "") -> SecretStr | None:
    """Find the key for the address of a setting. One that this user did not name gets none but that of its own provider."""
    address = address_of(settings, setting, provider)
    given = {"anthropic": settings.anthropic_api_key, "openai": settings.openai_api_key}
    place, own = place_of(address or ""), place_of(OWN.get(provider, "-"))
    if setting in settings.unnamed:
        return given.get(provider) if place == own else None
    for name in (role, (setting or "").removeprefix("base_url_")):
        if name in settings.role_keys:
            return settings.role_keys[name]
    return given.get(provider) if place == key_place(settings, provider) else None


def key_place(settings: Settings, provider: str) -> str:
    """Find the one host that gets a provider's key. Its own where a model is asked there, else that of `base_url` or the first role."""
    named = [address_setting(settings, role) for role in ROLES if _provider(settings, role) == provider]
    named.sort(key=lambda one: one != "base_url")
    named = named or [None if settings.base_url is None else "base_url"]
    places = [place_of(address_of(settings, one, provider) or "") for one in named]
    own = place_of(OWN.get(provider, "-"))
    return own if own in places else places[0]


def _provider(settings: Settings, role: str) -> str:
    return provider_of(settings.model_for(role))

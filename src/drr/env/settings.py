"""One settings object: explicit > study > environment (`DRR_*`) > `.env` > `drr.toml` > the user's own file > default.

Each value's origin is recorded. Addresses that only a study or a `drr.toml` names, and not this user, are marked, and no key
is sent to them. What else of others would go over the network, a key above all, is not used until this user agrees.
Each setting says beside its type what it can do.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from drr.env.errors import Misuse
from drr.env.files import ShopAddress
from drr.env.powers import Can, Model, Name, Place, Secret, power_of
from drr.env.setting_layers import Layer, Withheld, leave_out, mark_addresses, withhold
from drr.env.setting_sources import DOTENV, from_environment, read_dotenv, read_settings_file
from drr.env.trust import ServerAddress, config_folder, hosts_of
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, ValidationError, field_validator

FILE = Path("drr.toml")
OWN_FILE = "settings.toml"
"""The settings file in the user's configuration folder, which applies in every folder where this user works."""
ROLES = ("agent", "summariser", "query_writer", "claim_extractor", "judge", "embedder")
"""Roles whose model and address can be set."""
FOLLOWS = {"summariser": "agent", "claim_extractor": "judge"}
"""The role from which a role takes its model and address if it names none. Every role not listed takes the general ones."""
MODEL_ADDRESSES = ("base_url", *(f"base_url_{role}" for role in ROLES))
Address = Annotated[ServerAddress | None, Can("send")]
ADDRESSES = (*MODEL_ADDRESSES, "mongodb_url", "elasticsearch_url")
"""Settings that hold the addresses to which keys and questions are sent."""


class RoleSettings(BaseModel):
    """The choices for each role: its model, the model's address, and the key."""

    model: Annotated[str, Can("pay")] = Field(
        "offline", description="the model of every role that names none"
    )
    models: Annotated[tuple[str, ...] | None, Can("pay")] = Field(
        None,
        description="several models in one study, with commas: each of its variants with each of them (default: `model` alone)",
    )
    model_agent: Model = Field(None, description="model of the agents (default: `model`)")
    model_summariser: Model = Field(None, description="model that summarises pages (default: the agent's)")
    model_query_writer: Model = Field(None, description="model that writes queries (default: `model`)")
    model_claim_extractor: Model = Field(
        None, description="model that extracts claims (default: the judge's)"
    )
    model_judge: Model = Field(None, description="model that judges (default: `model`)")
    model_embedder: Annotated[str, Can("pay")] = Field(
        "offline",
        description="model that turns texts into vectors for the searches `hybrid` and `dense`: offline, minilm (extra embed) or openai:NAME",
    )
    role_models: Annotated[dict[str, str], Can("pay")] = Field(
        default_factory=dict, description="models of further roles that variants declare, ROLE=MODEL,..."
    )
    base_url: Address = Field(
        None,
        description="address of the server of `model`; a loopback address needs no key (default: the provider's)",
    )
    base_url_agent: Address = Field(None, description="address of the agents' model (default: base_url)")
    base_url_summariser: Address = Field(
        None, description="address of the model that summarises pages (default: the agent's)"
    )
    base_url_query_writer: Address = Field(
        None, description="address of the model that writes queries (default: base_url)"
    )
    base_url_claim_extractor: Address = Field(
        None, description="address of the model that extracts claims (default: the judge's)"
    )
    base_url_judge: Address = Field(None, description="address of the model that judges (default: base_url)")
    base_url_embedder: Address = Field(None, description="address of model_embedder (default: base_url)")
    role_keys: Annotated[dict[str, SecretStr], Can("send")] = Field(
        default_factory=dict,
        description="keys of roles whose servers have keys of their own, ROLE=KEY,... (default: the provider's, to one host only)",
    )

    @field_validator(*MODEL_ADDRESSES)
    @classmethod
    def _of_one_host(cls, given: ServerAddress | None) -> ServerAddress | None:
        """Check that the address names one host. An unescaped password would leave another host behind, which would then receive everything."""
        address = "" if given is None else given.get_secret_value()
        if "@" in address and hosts_of(address) is None:
            raise ValueError(
                "no address with one host (it is not shown, as it holds an @); in a user name or a password write"
                " @ as %40, / as %2F, : as %3A, ? as %3F, # as %23"
            )
        return given

    @field_validator("models", mode="before")
    @classmethod
    def _parse_models(cls, given: Any) -> Any:
        """Parse `anthropic:one,openai:two`, as an option or the environment gives it."""
        found = given.split(",") if isinstance(given, str) else given
        if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
            return found
        names = [one.strip() for one in found if one.strip()]
        if not names:
            raise ValueError("names no model")
        if twice := next((one for one in names if names.count(one) > 1), None):
            raise ValueError(f"names {twice} twice")
        return names

    @field_validator("role_models", "role_keys", mode="before")
    @classmethod
    def _parse_roles(cls, given: Any) -> Any:
        """Parse `critic=offline,embedder=openai:small`, as an option or the environment gives it."""
        if not isinstance(given, str):
            return given
        pairs = [part.partition("=") for part in given.split(",") if part.strip()]
        if not all(role.strip() and model.strip() for role, _, model in pairs):
            raise ValueError("not ROLE=VALUE,...")
        return {role.strip(): model.strip() for role, _, model in pairs}

    def model_for(self, role: str) -> str:
        """Return the model of a role by the defaults that the settings' descriptions state. Any name is a role."""
        own = self.role_models.get(role) or (getattr(self, f"model_{role}") if role in ROLES else None)
        if own is not None:
            return str(own)
        return self.model_for(FOLLOWS[role]) if role in FOLLOWS else self.model


class Settings(RoleSettings):
    """Every choice that is not an argument of one command."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: Literal["default", "paper"] = Field(
        "default", description="`paper` sets every choice as the paper made it"
    )
    shop_url: Annotated[ShopAddress, Can("name")] = Field(
        "http://ecommerce.example",
        description="address under which product pages are said to live; never fetched",
    )

    language: Name = Field(
        None,
        pattern="^[a-z]{2}$",
        description="language of the reports that rules read, such as de (default: that of the shop's mapping)",
    )
    tools: Annotated[tuple[str, ...], Can("run")] = Field(
        (), description="tools of your own beside the nine, FILE.py:FUNCTION, with commas (default: none)"
    )
    without: Annotated[tuple[str, ...], Can("name")] = Field(
        (), description="tools of the nine that agents do not get, with commas (default: none)"
    )
    search: Literal["fields", "plain", "hybrid"] = Field(
        "fields",
        description="how the catalogue is searched: all fields by weight, one text as before (`plain`), or fields with vectors",
    )

    model_timeout: float = Field(300, gt=0, description="seconds for one model call")
    model_idle_timeout: float = Field(
        120, gt=0, description="seconds without a token after which a streamed answer is given up"
    )
    streaming: Literal["on", "off"] = Field(
        "on",
        description="whether models are asked for answers as they are written; off: for servers that cannot",
    )
    model_max_tokens: int = Field(8192, gt=0, description="most output tokens of one model call")
    judge_window: int | None = Field(
        None,
        ge=8192,
        description="tokens that the judge can read, where its maker's data tell none (default: 32768)",
    )
    retry_max_tokens: int | None = Field(
        None,
        gt=0,
        description="output tokens of the one more try of an answer that was cut (default: twice model_max_tokens)",
    )
    effort: Name = Field(
        None,
        description="how hard the agents' models think: low, medium, high, xhigh, max (default: the provider's)",
    )
    thinking: Name = Field(
        None,
        description="how the agents' models think: off, adaptive, or so many tokens (default: the provider's)",
    )
    reason: Literal["auto", "on", "off"] = Field(
        "auto",
        description="whether agents get a tool to write down a thought; auto: only where their model does not think by itself",
    )
    page_warning: Literal["on", "off"] = Field(
        "on",
        description="whether sub-agents that search are warned of outdated and wrong pages; no other agent is",
    )
    text_calls: Literal["off", "parse"] = Field(
        "off",
        description="how to treat a tool call that the model writes as text: it is no answer, or it is read as a call",
    )
    vision: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="whether pictures are shown to the agents' models; auto: to those whose maker says that they take them",
    )
    model_deadline: float = Field(600, gt=0, description="seconds for one model call with its retries")
    concurrency: int = Field(8, gt=0, description="model calls in flight per provider")
    library_tracing: Annotated[bool, Can("send")] = Field(
        False, description="let LangChain post runs where LANGSMITH_TRACING says so; otherwise it is off"
    )
    price_file: Place = Field(None, description="prices that replace those of the box (default: none)")
    prompts: Place = Field(
        None, description="folder of prompts that replace those of the box by name (default: none)"
    )

    corpus_search: Literal["bm25", "dense"] = Field(
        "bm25",
        description="how the frozen pages of a task with files are searched: by their words, or by vectors of model_embedder",
    )
    web: Annotated[Literal["sandbox", "serper", "replay"], Can("pay")] = Field(
        "sandbox", description="what web_search asks"
    )
    sandbox: Place = Field(
        None, description="folder of a frozen web (default: that made with the shop, or the one in the box)"
    )
    web_record: Place = Field(
        None, description="folder that `drr web record` writes and `--web replay` reads (default: none)"
    )
    web_top_k: int = Field(5, ge=1, le=20, description="results of one web search")
    page_reader: Annotated[str, Can("name")] = Field("trafilatura", description="turns a page into markdown")
    fetch_timeout: float = Field(20, gt=0, description="seconds for one page, redirects included")
    fetch_max_bytes: Annotated[int, Can("send")] = Field(5_000_000, gt=0, description="largest page read")
    respect_robots: Annotated[bool, Can("send")] = Field(
        True, description="ask robots.txt before a live page is read"
    )

    mongodb_url: Annotated[ServerAddress, Can("send")] = Field(
        ServerAddress("mongodb://127.0.0.1:27017"), description="of a servers: shop"
    )
    elasticsearch_url: Annotated[ServerAddress, Can("send")] = Field(
        ServerAddress("http://127.0.0.1:9200"), description="of a servers: shop"
    )
    elasticsearch_api_key: Secret = Field(None, description="of a servers: shop")
    mongodb_ca_file: Annotated[Path | None, Can("send")] = Field(
        None, description="certificate authority for MongoDB"
    )
    elasticsearch_ca_file: Annotated[Path | None, Can("send")] = Field(
        None, description="certificate authority for Elasticsearch"
    )
    elasticsearch_shards: int = Field(
        1,
        ge=1,
        le=1024,
        description="primary shards of a new index; one is enough for a few million products",
    )
    server_timeout: float = Field(30, gt=0, description="seconds for one call to a server")

    anthropic_api_key: Secret = Field(None, description="also read from ANTHROPIC_API_KEY")
    openai_api_key: Secret = Field(None, description="also read from OPENAI_API_KEY")
    serper_api_key: Secret = Field(None, description="also read from SERPER_API_KEY")
    _unnamed: dict[str, str] = PrivateAttr(default_factory=dict)

    @field_validator("tools", "without", mode="before")
    @classmethod
    def _parse_list(cls, given: Any) -> Any:
        return [one.strip() for one in given.split(",") if one.strip()] if isinstance(given, str) else given

    @property
    def unnamed(self) -> Mapping[str, str]:
        """Return the addresses that this user did not name, with the origin of each. No key is sent to them."""
        return self._unnamed

    def with_unnamed(self, unnamed: Mapping[str, str]) -> Self:
        changed = self.model_copy()
        changed._unnamed = dict(unnamed)
        return changed

    @field_validator(*ADDRESSES, mode="before")
    @classmethod
    def _as_text(cls, given: Any) -> Any:
        return given.get_secret_value() if isinstance(given, SecretStr) else given


_SENT = {
    name: field.default
    for name, field in Settings.model_fields.items()
    if power_of(field) == "send" and name not in ADDRESSES
}
"""Choices about what goes over the network, beside addresses, with their defaults."""
_RUN_OR_READ = [name for name, field in Settings.model_fields.items() if power_of(field) in ("run", "read")]

# What the paper states or shows; `docs/papers.md` says which of these are guesses.
PAPER: Mapping[str, object] = {"shop_url": "http://ecommerce.com", "web_top_k": 5, "web": "serper"}


class Resolved(NamedTuple):
    settings: Settings
    origin: dict[str, str]
    """The origin of each setting: explicit, study PATH, environment, file PATH, profile paper, default."""
    strangers: Mapping[str, Path] = {}
    """Folders by origin, of those whose author may be another person."""
    withheld: Sequence[Withheld] = ()
    """Choices of others about what goes over the network. They are not used."""

    def stranger_of(self, name: str) -> Path | None:
        """Return the folder whose author chose this setting, if that may be another person; otherwise `None`."""
        return self.strangers.get(self.origin[name])


class StudyChoices(NamedTuple):
    """The settings that a study folder contains; the folder may come from a stranger."""

    folder: Path
    values: Mapping[str, Any]
    shop: str | None = None
    """The place of its shop."""


def resolve(
    explicit: Mapping[str, object] | None = None,
    *,
    study: StudyChoices | None = None,
    environ: dict[str, str] | None = None,
    file: Path = FILE,
    asks: bool = False,
) -> Resolved:
    """Resolve every setting once. `explicit` holds only the values that the user gave.

    What of others would run or be read is left out, unless the caller `asks` this user about it before it is used.
    """
    layers = _layers(dict(explicit or {}), study, dict(os.environ) if environ is None else environ, file)
    if not asks:
        leave_out(layers, _RUN_OR_READ)
    unnamed, withheld = mark_addresses(layers, ADDRESSES), withhold(layers, _SENT)
    chosen, origin = dict[str, Any](), dict[str, str]()

    def fill(label: str, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            if name not in chosen:
                chosen[name], origin[name] = value, label

    for layer in layers:
        fill(layer.label, layer.values)
    if chosen.get("profile") == "paper":
        fill("profile paper", PAPER)
    if no_text := [name for name, value in chosen.items() if isinstance(value, str) and "\0" in value]:
        raise Misuse(f"setting {no_text[0]} ({origin[no_text[0]]}): holds a character that no name has")
    try:
        settings = Settings(**chosen)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        raise Misuse(
            f"setting {name} ({origin.get(name, 'explicit')}): {first['msg'].removeprefix('Value error, ')}; see `drr env settings`"
        ) from None
    by_strangers = {name: label for name, label in unnamed if origin.get(name) == label}
    return Resolved(
        settings.with_unnamed(by_strangers),
        {name: origin.get(name, "default") for name in Settings.model_fields},
        {layer.label: layer.stranger for layer in layers if layer.stranger is not None},
        withheld,
    )


def _layers(
    explicit: dict[str, object], study: StudyChoices | None, environ: dict[str, str], file: Path
) -> list[Layer]:
    """Return the layers of settings in order: the first that has a setting decides it."""
    known = Settings.model_fields
    layers = [Layer("explicit", _for_named(explicit))]
    if study is not None:
        if keys := sorted(name for name in study.values if name.endswith(("_api_key", "role_keys"))):
            raise Misuse(
                f"{study.folder}: its settings hold {', '.join(keys)}; a study holds no key, remove it"
            )
        layers.append(Layer(f"study {study.folder}", dict(study.values), study.folder))
    dotenv = file.with_name(DOTENV)
    layers += [
        Layer("environment", from_environment(environ, known)),
        Layer(f"file {dotenv}", from_environment(read_dotenv(dotenv), known), file.parent),
        Layer(f"file {file}", read_settings_file(file, known), file.parent),
    ]
    if (home := config_folder(environ)) is not None:
        layers.append(Layer(f"file {home / OWN_FILE}", read_settings_file(home / OWN_FILE, known)))
    return layers


def _for_named(explicit: dict[str, object]) -> dict[str, object]:
    """Apply an explicit address to the roles whose models are given with it, unless `model` or `models` is given."""
    if explicit.get("base_url") is None or explicit.get("model") or explicit.get("models"):
        return explicit
    named = [role for role in ROLES if explicit.get(f"model_{role}")]
    return {**{f"base_url_{role}": explicit["base_url"] for role in named}, **explicit}

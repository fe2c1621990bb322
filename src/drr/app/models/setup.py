"""Builds models and prompts from settings, for every command that calls a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.models.servers import base_server, servers_of, text_of
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.plugins import prompt_folders
from drr.env.settings import ADDRESSES, MODEL_ADDRESSES, Settings
from drr.llm.failures import NO_ANSWER, ModelFailure, ModelSetupError
from drr.llm.names import parse_name
from drr.llm.prompts import Prompts, check_override

if TYPE_CHECKING:
    from drr.llm.factory import Models


SETTINGS = (
    "model",
    "base_url",
    "model_timeout",
    "model_idle_timeout",
    "streaming",
    "model_max_tokens",
    "model_deadline",
    "concurrency",
    "price_file",
)
"""Setting names for `drr.app.console.add_setting_options`; a command adds `model_agent` and the like for roles that it plays."""


AGENT_SETTINGS = (
    *SETTINGS,
    "effort",
    "thinking",
    "reason",
    "page_warning",
    "text_calls",
    "vision",
    "role_models",
    "model_agent",
    "model_summariser",
    "prompts",
    "search",
    "model_embedder",
    "corpus_search",
    "web",
    "sandbox",
    "web_record",
    "web_top_k",
    "page_reader",
    "shop_url",
    "tools",
    "without",
)
"""Setting names for commands that run agents."""


def models_of(
    settings: Settings, *, agents: bool = False, calls: bool = True, named: Iterable[str] = ()
) -> Models:
    """Return the models of all roles, checked without a call; raise `Misuse` for a model that cannot work. Without `calls` (a forecast) no
    key is needed.

    `named` are models that variants have besides those of the settings. Effort and thinking are for `agents` alone: whoever judges or writes queries is the same whatever agents are told.
    """
    from drr.llm.budget import load_prices
    from drr.llm.factory import Models
    from drr.llm.models import ModelSettings
    from drr.llm.thinking import Style, check

    style = Style(settings.effort, settings.thinking) if agents else Style()
    keep_to_named_hosts(settings)
    several = (*(settings.models or ()), *named)
    settings = settings.model_copy(update={"models": several or None})
    base = base_server(settings, calls=calls)
    chosen = ModelSettings(
        settings.model_for,
        base_url=settings.base_url,
        keys=base.keys,
        refused=base.refused,
        servers=servers_of(settings, calls=calls),
        timeout_s=settings.model_timeout,
        idle_s=settings.model_idle_timeout,
        streaming=settings.streaming == "on",
        max_tokens=settings.model_max_tokens,
        retry_max_tokens=settings.retry_max_tokens,
        deadline_s=settings.model_deadline,
        concurrency=base.concurrency or settings.concurrency,
        style=style,
    )
    try:
        check(style, settings.model_max_tokens)
        return Models(chosen, prices=load_prices(settings.price_file))
    except ModelSetupError as error:
        raise Misuse(str(error)) from error


def under_model(models: Models, settings: Settings, name: str) -> Models:
    """Return the same models with another model named in the settings; meter, budget and connections are shared."""
    bound = copy(models)
    bound.settings = replace(models.settings, roles=settings.model_copy(update={"model": name}).model_for)
    return bound


def holds_thoughts(settings: Settings, models: Models) -> bool:
    """Return True if agents have the tool `reason`. Under `auto` they lack it where their model thinks by itself, except in the paper's profile."""
    from drr.agents.base import AGENT
    from drr.llm.thinking import always_thinks

    if settings.reason != "auto" or settings.profile == "paper":
        return settings.reason != "off"
    return not always_thinks(*parse_name(models.name_of(AGENT)), models.settings.style)


def styles_of(models: Models, roles: Iterable[str]) -> JsonObject:
    """Return each role's effort and thinking as key fields; empty if neither was asked for, as in older keys."""
    from drr.llm.thinking import accepted_style

    style = models.settings.style
    if not style.is_set:
        return {}
    sent = {role: accepted_style(*parse_name(models.name_of(role)), style) for role in roles}
    return {"styles": {role: [one.effort, one.thinking] for role, one in sent.items()}}


def keep_to_named_hosts(settings: Settings) -> None:
    """Keep traffic to named hosts. Tracing that other tools left in the environment is switched off, and no proxy
    stands between two ends of one machine."""
    from drr.llm.calls import no_proxy_for_this_machine, tracing_off

    for name in MODEL_ADDRESSES:
        no_proxy_for_this_machine(text_of(getattr(settings, name)))
    if not settings.library_tracing:
        tracing_off()


def model_error(failure: ModelFailure) -> DrrError:
    """Return a model's failure as an error whose one line ends the command."""
    todo = {
        "bad_key": "check the key (`drr env settings` says where it comes from) and what it may use",
        "unknown_model": "check --model and --base-url",
        "no_credit": "add credit at the provider",
        "over_budget": "give a larger --budget, or more tokens with --budget-tokens",
        "context_overflow": "name a model with a longer context (--model, for a judge --judge), or send less: lower --limits or --model-max-tokens",
        "truncated": "raise --model-max-tokens (of a study: `drr run STUDY --retry-failed --model-max-tokens N` computes only what failed)",
    }.get(failure.kind, "try again later" if failure.transient else "see docs/study.md on failures")
    if failure.kind in NO_ANSWER:
        return DrrError(
            f"no answer ({failure.kind}): {failure}; try another model, or mend the agent if it is yours"
        )
    return DrrError(f"the model call failed ({failure.kind}): {failure}; {todo}")


def check_named(known: Collection[str], named: Collection[str]) -> None:
    """Raise `Misuse` if a model was named for a role that no variant plays. A misspelt role would otherwise cost money."""
    if unknown := sorted(set(named) - set(known)):
        raise Misuse(
            f"--role-models: {', '.join(unknown)} is no role of these variants; they have {', '.join(known)}"
        )


ROOMS = ("agents", "querygen", "eval")
OF_PAPERS = {"agents": "agent", "eval": "judging"}
"""Folder of a paper whose prompts stand beside those of a package."""


def prompt_names() -> set[str]:
    """Return the names of all prompts, including the prompts of papers."""
    own = (place for within in ("", *OF_PAPERS.values()) for place in prompt_folders(within))
    folders = [*map(_folder, ROOMS), *own]
    return {path.stem for folder in folders for path in folder.glob("*.md")}


def prompts_of(settings: Settings, room: str) -> Prompts:
    """Read the prompts of one package, with the user's prompts in their place. Raise `Misuse` for a folder with a prompt that replaces none."""
    try:
        beside = prompt_folders(OF_PAPERS[room]) if room in OF_PAPERS else ()
        prompts = Prompts(_folder(room), settings.prompts, beside=beside)
        if settings.prompts is not None:
            check_override(settings.prompts, prompt_names())
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    return prompts


def _folder(room: str) -> Path:
    return Path(__file__).parents[2] / room / "prompts"


def plain_settings(settings: Settings) -> JsonObject:
    """Return all resolved settings as plain data, without secrets, which each process reads for itself."""
    plain = settings.model_dump(mode="json")
    for name in MODEL_ADDRESSES:
        if (address := getattr(settings, name)) is not None:
            plain[name] = str(address)
    secret = {
        name for name, field in type(settings).model_fields.items() if "Secret" in str(field.annotation)
    } | {*ADDRESSES} - {*MODEL_ADDRESSES}
    return {name: value for name, value in plain.items() if name not in secret}

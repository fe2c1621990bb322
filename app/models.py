"""From settings to models, for every command that calls one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.env.errors import DrrError, Misuse

if TYPE_CHECKING:
    from drr.env.settings import Settings
    from drr.llm.budget import Budget
    from drr.llm.factory import Models
    from drr.llm.failures import ModelFailure

SETTINGS = (
    "model",
    "base_url",
    "model_timeout",
    "model_max_tokens",
    "model_deadline",
    "concurrency",
    "price_file",
)
"""Names for `drr.app.console.add_setting_options`; add `model_agent` and the like where a command plays those roles."""


AGENT_SETTINGS = (
    *SETTINGS,
    "role_models",
    "model_agent",
    "model_summariser",
    "prompts",
    "web",
    "sandbox",
    "web_record",
    "web_top_k",
    "page_reader",
    "shop_url",
)
"""The same for commands that run agents."""


def models_of(settings: Settings, *, budget: Budget | None = None) -> Models:
    """Every role's model, checked as far as that goes without a call; `Misuse` for what cannot work."""
    from drr.llm.factory import Models, ModelSettings
    from drr.llm.failures import ModelSetupError
    from drr.llm.prices import load_prices

    chosen = ModelSettings(
        settings.model_for,
        base_url=settings.base_url,
        keys={"anthropic": settings.anthropic_api_key, "openai": settings.openai_api_key},
        timeout_s=settings.model_timeout,
        max_tokens=settings.model_max_tokens,
        deadline_s=settings.model_deadline,
        concurrency=settings.concurrency,
    )
    try:
        return Models(chosen, budget=budget, prices=load_prices(settings.price_file))
    except ModelSetupError as error:
        raise Misuse(str(error)) from error


def explain(failure: ModelFailure) -> DrrError:
    """A model's failure as the one line that the command ends with."""
    todo = {
        "bad_key": "check the key (`drr settings` says where it comes from) and what it may use",
        "unknown_model": "check --model and --base-url",
        "no_credit": "add credit at the provider",
        "over_budget": "give a larger --budget",
        "context_overflow": "choose a model with a longer context or lower the limits",
        "truncated": "raise --model-max-tokens",
    }.get(failure.kind, "try again later" if failure.transient else "see docs/study.md on failures")
    return DrrError(f"the model call failed ({failure.kind}): {failure}; {todo}")

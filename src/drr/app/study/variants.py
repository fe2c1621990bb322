"""The variants of a study, followed by those that a call names, each with each model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drr.env.errors import Misuse
from drr.env.settings import Resolved, Settings
from drr.llm.failures import ModelSetupError
from drr.llm.names import parse_name

if TYPE_CHECKING:
    from drr.app.study.study_plan import KeptStudy, StudyPlan


def variants_of(call: StudyPlan, study: KeptStudy, found: Resolved) -> tuple[Settings, str, str | None]:
    """Return the settings with all models, the words of all variants, and those that this call names, if any.

    Each variant is combined with each model if there are several. In a study of one model no variant names it.
    """
    from drr.agents.registry import choose, parts_of, whole_words

    settings, before, models = found.settings, study.plan.variants, list[str]()
    is_asked = "models" in call.named_settings or found.origin["models"].startswith("study ")
    if (
        "model" in call.named_settings and not is_asked
    ):  # only a settings file or the environment names several
        settings = settings.model_copy(update={"models": None})
    if settings.models:
        if "model" in call.named_settings:
            raise Misuse(
                "--model: the study has several models, which --models names; name this one there to add it"
            )
        models, now = _all_models(settings, study), settings.models
        _check(settings, models)
        several = tuple(models) if len(models) > 1 else None
        settings = settings.model_copy(update={"model": models[0], "models": several})
    named = call.variants and whole_words(call.variants)
    if len(models) > 1:
        if before is None or "models" in call.named_settings:
            bare = ",".join(dict.fromkeys(parts_of(word)[0] for word in _words(before or "all")))
            named = _variants_by_model(named or bare, models if before is None else now)
        elif named is not None:
            named = _variants_by_model(named, models)
        # A study of one model never named it; what it has answered is that model's, and stays.
        before = before and _variants_by_model(before, models[:1])
    if before is None or named is None:
        return settings, named or before or "all", named
    known = {found.name for found in choose(before)}
    added = (found.word for found in choose(named) if found.name not in known)
    return settings, ",".join([before, *added]), named


def _all_models(settings: Settings, study: KeptStudy) -> list[str]:
    """Return the models of the study followed by the new ones, each once."""
    had = study.config.get("settings", {})
    own = [] if study.is_new else had.get("models") or [had.get("model", "offline")]
    return list(dict.fromkeys((*own, *(settings.models or ()))))


def _check(settings: Settings, names: Sequence[str]) -> None:
    """Raise `Misuse` for an invalid model name, and where another setting fixes the agents' model."""
    try:
        for name in names:
            parse_name(name)
    except ModelSetupError as error:
        raise Misuse(f"--models: {error}") from error
    agents = {settings.model_copy(update={"model": name}).model_for("agent") for name in names}
    if agents != set(names):
        raise Misuse(
            f"--models: the agents have {', '.join(agents)} by model_agent or role_models, whatever is named; leave that out"
        )


def _variants_by_model(words: str, models: Sequence[str]) -> str:
    """Combine each variant with each model; a word that already names a model stays as it is."""
    from drr.agents.registry import parts_of

    pairs = [word if parts_of(word)[1] else f"{word}@{model}" for word in _words(words) for model in models]
    return ",".join(dict.fromkeys(pairs))


def _words(words: str) -> list[str]:
    from drr.agents.registry import PAPER

    parts = [part.strip() for part in words.split(",")]
    return [word for part in parts for word in (PAPER if part == "all" else [part]) if word]

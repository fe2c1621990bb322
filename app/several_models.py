"""Several models in one study: each of its variants with each of them, as `VARIANT@MODEL`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from drr.env.errors import Misuse

if TYPE_CHECKING:
    from drr.app.answers import Answering
    from drr.app.running import RunConfig
    from drr.env.settings import Resolved, Settings
    from drr.study.config import StudyConfig


class SpreadModels(NamedTuple):
    settings: Settings
    before: str | None
    """The variants that the study has."""
    given: str | None
    """Those that are named now; `None` where none are."""


def spread(config: RunConfig, found: Resolved, saved: StudyConfig, given: str | None) -> SpreadModels:
    """Each variant with each model, where there are several; a study of one model names none."""
    settings, before = found.settings, saved.get("run", {}).get("variants")
    if config.model is not None and settings.models and not _is_of_call(config, found):
        settings = settings.model_copy(update={"models": None})
    if not settings.models:
        return SpreadModels(settings, before, given)
    if config.model is not None:
        raise Misuse(
            "--model: the study has several models, which --models names; name this one there to add it"
        )
    now, every = settings.models, _every(settings, saved)
    several = every if len(every) > 1 else None
    settings = settings.model_copy(update={"model": every[0], "models": several})
    _check(settings, every)
    if several is None:
        return SpreadModels(settings, before, given)
    bare = None if before is None else ",".join(dict.fromkeys(_bare(before)))
    if before is None:
        return SpreadModels(settings, None, _each(given or "all", every))
    if config.models is not None:
        given = _each(given or bare or "all", now)
    elif given is not None:
        given = _each(given, every)
    return SpreadModels(settings, _each(before, every[:1]), given)


def check_twins(answering: Answering) -> None:
    """`Misuse` for a variant that is named twice, once with the model that the study has anyway."""
    found: dict[tuple[str, ...], str] = {}
    for name, variant in answering.variants.items():
        models = answering.models_of(variant)
        twin = found.setdefault((variant.bare_name, *map(models.name_of, variant.roles)), name)
        if twin != name:
            raise Misuse(f"{twin} and {name} are the same variant with the same model; leave one out")


def _is_of_call(config: RunConfig, found: Resolved) -> bool:
    """True where the call or its study names several models, and not only a file or the environment."""
    return config.models is not None or found.origin["models"].startswith("study ")


def _every(settings: Settings, saved: StudyConfig) -> tuple[str, ...]:
    """Those that the study has, then what is new."""
    had = saved.get("settings", {})
    own = (had.get("models") or [had.get("model", "offline")]) if saved else []
    return tuple(dict.fromkeys((*own, *(settings.models or ()))))


def _check(settings: Settings, names: Sequence[str]) -> None:
    """`Misuse` for what names no model, and where the agents have one model whatever is named."""
    from drr.llm.failures import ModelSetupError
    from drr.llm.names import parse_name

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


def _bare(words: str) -> Iterable[str]:
    from drr.agents.registry import parts_of

    return (parts_of(word)[0] for word in _words(words))


def _each(words: str, models: Sequence[str]) -> str:
    """What names a model stays with that one."""
    from drr.agents.registry import parts_of

    pairs = [word if parts_of(word)[1] else f"{word}@{model}" for word in _words(words) for model in models]
    return ",".join(dict.fromkeys(pairs))


def _words(words: str) -> list[str]:
    from drr.agents.registry import PAPER

    parts = [part.strip() for part in words.split(",")]
    return [word for part in parts for word in (PAPER if part == "all" else [part]) if word]

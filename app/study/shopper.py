"""Chooses who words the shopper's answers in talks: his plain sentences, or a model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from drr.app.models.setup import prompts_of, under_model
from drr.app.study.plan import StudyPlan
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.world import SERVICE, World
from drr.llm.factory import Models
from drr.llm.names import OFFLINE, parse_name
from drr.llm.prompts import Prompts
from drr.querygen.asking import FOLDER
from drr.querygen.shopper_voice import PROMPTS, ROLE, ShopperVoice


@dataclass(frozen=True)
class PlayedShopper:
    """The shopper of a study's talks. Without a model his sentences are plain."""

    model: str | None = None
    settings: Settings = field(default_factory=Settings)
    prompts: Prompts = field(default_factory=lambda: Prompts(FOLDER))

    def key(self) -> JsonObject:
        """Return the part of a unit's key that names the model; empty without one."""
        if self.model is None:
            return {}
        return {"shopper": self.model, "shopper_prompts": self.prompts.hashes(PROMPTS)}

    def check(self, models: Models) -> None:
        """Raise `ModelSetupError` for a model that cannot be called."""
        if self.model is not None:
            under_model(models, self.settings, self.model).check([ROLE])

    def voiced(self, world: World, models: Models) -> World:
        """Return the world of a unit, with the model as the voice of its shopper."""
        service = world.session.service if world.session else None
        if self.model is not None and service is not None:
            model = under_model(models, self.settings, self.model).role(ROLE)
            service.voice = ShopperVoice(model, self.prompts, service.case, asyncio.get_running_loop())
        return world


PLAIN_SHOPPER = PlayedShopper()


def shopper_of(plan: StudyPlan, settings: Settings) -> PlayedShopper:
    """Return the shopper that a plan asks for; raise `Misuse` for a model that has no shopper to play."""
    if plan.shopper is None:
        return PLAIN_SHOPPER
    if plan.world != SERVICE or parse_name(plan.shopper).provider == OFFLINE:
        raise Misuse(
            "--shopper MODEL: is a model for the shoppers of --world service; leave it out for plain sentences"
        )
    return PlayedShopper(plan.shopper, settings, prompts_of(settings, "querygen"))

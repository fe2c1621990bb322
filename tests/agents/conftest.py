"""Runs variants on the garden shop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.agents.base import AnswerRecord
from drr.agents.registry import variant
from drr.agents.runner import AgentOptions, load_prompts, run_variant
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import Shop, open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.llm.calls import Retries
from drr.llm.factory import Models
from drr.llm.meter import Meter
from drr.llm.models import ModelSettings
from drr.llm.role import Policy
from drr.offline.agents.policies import agent_policy, summariser_policy

from tests.agents.garden import ANNA, DOCUMENTS, QUESTION, Ask, Asked, CountingWeb, write_shop


@pytest.fixture(scope="session")
def settings() -> Settings:
    return Settings(shop_url="http://ecommerce.example")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Shop]:
    spec = str(tmp_path_factory.mktemp("agents") / "shop")
    write_shop(spec, settings)
    with open_shop(spec, settings) as opened:
        yield opened


@pytest.fixture
def web() -> CountingWeb:
    return CountingWeb(Sandbox(DOCUMENTS))


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def ask(shop: Shop, web: CountingWeb, asked: Asked) -> Ask:
    """Run a variant on the garden shop, with the rules as its model unless a policy is given."""

    async def run(
        name: str,
        question: str = QUESTION,
        *,
        policy: Policy = agent_policy,
        summariser: Policy = summariser_policy,
        user_id: str = ANNA,
        prompts: Path | None = None,
        web: Any = web,
        listener: Any = None,
        roles: Sequence[str] = (),
        now: Callable[[], float] | None = None,
        **options: Any,
    ) -> AnswerRecord:
        meter = Meter()
        models = Models(ModelSettings({}), retries=Retries(attempts=1)).unit(meter)
        extra: dict[str, Any] = {} if now is None else {"now": now}
        if listener is not None:
            extra["listener"] = listener
        return await run_variant(
            variant(name) if isinstance(name, str) else name,
            question,
            world=ShopWorld(Session(shop, user_id), web),
            models={
                "agent": models.role("agent", asked.watching(policy)),
                "summariser": models.role("summariser", summariser),
                **{role: models.role(role, asked.watching(policy)) for role in roles},
            },
            meter=meter,
            prompts=load_prompts(prompts),
            options=AgentOptions(**options),
            **extra,
        )

    return run

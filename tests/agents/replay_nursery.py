"""A process that bears runs of a study and waits for them to end: `python -m tests.agents.replay_nursery SHOP UNITS`.

It forks after everything is imported, so that a run begins its work at once. A line on its standard input, `STUDY URL`, begins one; it says
the number of the process, and how it ended. Whoever reads that number may kill it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import drr.llm.models  # noqa: F401
from drr.agents.registry import variant
from drr.agents.runner import load_prompts, run_variant
from drr.app.study.specs import AnswerSpec, split_record
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.sandbox import Sandbox
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.study.run import Pace, run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context

from tests.agents.garden import ANNA, DOCUMENTS

AT_ONCE = 3
VARIANTS = ("react", "hybrid-react+ws", "plan-to-function", "dr3+validate")


def units(count: int) -> list[Unit]:
    specs = [{"trial": n, "variant": VARIANTS[n % len(VARIANTS)]} for n in range(count)]
    return [Unit("answer", spec, spec, f"u{spec['trial']}") for spec in specs]


async def once(shop_spec: str, folder: Path, url: str, count: int) -> None:
    models = Models(ModelSettings({"default": "anthropic:claude-sonnet-5-5"}, base_url=url))
    prompts = load_prompts()
    with (
        open_shop(shop_spec, Settings(shop_url="http://ecommerce.example")) as shop,
        Study.open(folder) as study,
    ):

        async def work(spec: Mapping[str, Any], context: Context) -> Outcome:
            context.replaying()
            chosen, query = variant(spec["variant"]), f"Which bird house suits bluebirds? ({spec['trial']})"
            answer = await run_variant(
                chosen,
                query,
                world=ShopWorld(Session(shop, ANNA), Sandbox(DOCUMENTS)),
                models={role: context.models.role(role) for role in chosen.roles},
                meter=context.meter,
                prompts=prompts,
            )
            asked = AnswerSpec(
                query_id="q", query=query, user_id=ANNA, variant=spec["variant"], trial=spec["trial"]
            )
            return split_record(answer, asked)

        await run(study, units(count), work, models=models, pace=Pace(units=AT_ONCE))
        await models.aclose()


def main(shop: str, count: str) -> None:
    while line := sys.stdin.readline():
        folder, url = line.split()
        child = os.fork()
        if not child:
            try:
                asyncio.run(once(shop, Path(folder), url, int(count)))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(child, flush=True)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A worker on whose node the same paths lead to other things than the driver's is refused by name, with what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from drr.app.answers import AnswerConfig, open_answering, open_workplace
from drr.app.workers import probes_of, sent_settings
from drr.env.errors import DrrError
from drr.env.query import Query
from drr.env.settings import Settings
from drr.env.web.sandbox import DOCUMENTS, build_sandbox
from drr.extras.ray.pool import RayPool
from drr.study.leases import Moment
from drr.study.pools import PoolOrder
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening, Workplace

from tests.agents import garden

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
PROMPT = Path(garden.__file__).parents[2] / "agents" / "prompts" / "react.md"


@contextmanager
def opened(config: Mapping[str, Any]) -> Iterator[Workplace]:
    """On a node where the folder of `here` is what lies in `there`."""
    document = json.loads(json.dumps(config["document"]).replace(config["here"], config["there"]))
    with open_workplace(document) as place:
        yield place


def things(folder: Path, *, other: bool) -> Path:
    """Prompts, a web and a shop of one node."""
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts" / "react.md").write_text(PROMPT.read_text() + "Be quick.\n" * other)
    page = {"url": "https://a.example/", "title": "A", "text": "Birds winter here." + " And there." * other}
    (folder / "pages").mkdir()
    (folder / "pages" / DOCUMENTS).write_text(json.dumps(page) + "\n")
    build_sandbox(folder / "pages", folder / "web")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(garden, "ORDERS", garden.ORDERS[other:])
        garden.write_shop(str(folder / "shop"), Settings())
    return folder


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("nodes")
    return things(folder / "own", other=False), things(folder / "other", other=True)


@pytest.mark.parametrize("differs", ["prompts", "shop", "web"])
async def test_what_differs_is_named(
    tmp_path: Path, cluster: Any, nodes: tuple[Path, Path], differs: str
) -> None:
    own, other = nodes
    settings = Settings(prompts=own / "prompts", sandbox=own / "web")
    plan: Any = {"shop": str(own / "shop"), "variants": "react"}
    with open_answering(AnswerConfig.of(plan, settings, None)) as answering:
        asked = answering.units([Query(id="q", query="Which bird house?", user_id=garden.ANNA)])
    document = {"run": plan, "settings": sent_settings(settings), "probes": probes_of(asked)}
    config = {"document": document, "here": str(own / differs), "there": str(other / differs)}
    pool = RayPool(PoolOrder(Opening("tests.rays.test_refusals:opened", config), 1, 1, 1))
    with Study.create(tmp_path / "study", {}) as study:
        with pytest.raises(
            DrrError, match=rf"\(127\.0\.0\.1, process \d+\): .*not what the driver has: another {differs}$"
        ):
            await run(study, asked, pool)
        assert not study.ledger.leases.running(Moment(0, 0))
        assert not list(study.records(status=None))

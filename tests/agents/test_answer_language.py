"""Agents are asked for the language of their shop, and judges are told which one was asked for. English is not spoken of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drr.agents.registry import PAPER
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.shop_world import ShopWorld
from drr.env.web.open import open_web

from tests.agents.test_settings_on_the_wire import snoop
from tests.commands import Drr
from tests.foreign import COUNTRIES, foreign_shop
from tests.wire import Say, Wire

MODEL = "anthropic:claude-sonnet-5-5"
ASKED = {"PL": "ISO code `pl`", "DE": "ISO code `de`", "IN": None}


@pytest.fixture(scope="module", params=list(COUNTRIES))
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    name = str(request.param)
    yield name, foreign_shop(tmp_path_factory.mktemp(name), name)


def test_agents_are_asked_for_the_language_and_judges_told_of_it(
    shop: tuple[str, Path], tmp_path: Path, drr: Drr
) -> None:
    name, folder = shop
    with open_shop(str(folder), Settings()) as opened:
        user = opened.store.sample_users(1, seed=1, min_orders=1)[0]
    (questions := tmp_path / "q.jsonl").write_text(
        json.dumps({"query": COUNTRIES[name].question, "user_id": user})
    )
    for variant in PAPER:
        at = ("run", tmp_path / variant, "--queries", questions, "--shop", folder, "--variants", variant)
        with Wire(snoop) as wire:
            drr(*at, "--model", MODEL, "--base-url", wire.url, "--quiet")
            said = [json.dumps(one.body, ensure_ascii=False) for one in wire.requests]
        asked = [one for one in said if "Write in the language with the ISO code" in one]
        wanted = ASKED[name]
        assert all(wanted in one for one in asked) if wanted else not asked, variant
        assert bool(asked) == bool(wanted), variant
    with Wire([Say("{}")] * 99) as wire:
        drr(
            "judge",
            tmp_path / "react",
            "--what",
            "quality",
            "--judge",
            MODEL,
            "--base-url",
            wire.url,
            "--quiet",
        )
        told = [json.dumps(one.body, ensure_ascii=False) for one in wire.requests]
    frame = "Its answer must be written in the language with the"
    assert told and all(f"{frame} {wanted}" in one if wanted else frame not in one for one in told)


def test_the_language_is_in_the_key_where_the_currency_is_not(shop: tuple[str, Path]) -> None:
    name, folder = shop
    with open_shop(str(folder), Settings()) as opened:
        told = {"language": COUNTRIES[name].language}
        dollars = replace(opened, manifest=opened.manifest.model_copy(update={"recipe": told}))
        key = ShopWorld(Session(dollars, "u"), open_web(Settings())).key_fields()
        assert "currency" not in key
        assert key.get("language") == (None if name == "IN" else told["language"])

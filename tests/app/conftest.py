"""A judged study of the sample shop, made once by the commands themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import resolve
from drr.env.shop import open_shop

QUESTIONS = (
    "Which bird feeder and which seed should I buy for winter, together under $80?",
    "I want quieter grooming tools for my dog under $60; compare the options and say what I bought before.",
)
VARIANTS = "react,react+ws,plan-to-function+ws"


def drr(*words: str | Path) -> None:
    assert main([str(word) for word in words]) == 0


@pytest.fixture(scope="session")
def judged_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("judged")
    drr("sample", home / "raw", "--seed", "7", "--quiet")
    drr("ingest", home / "raw", "--shop", home / "shop", "--quiet")
    with open_shop(str(home / "shop"), resolve({}, environ={}, file=home / "none").settings) as shop:
        users = shop.store.sample_users(2, seed=1, min_orders=5)
    lines = [json.dumps({"query": q, "user_id": u}) for q, u in zip(QUESTIONS, users, strict=True)]
    (home / "queries.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    what = ("--queries", home / "queries.jsonl", "--variants", VARIANTS, "--trials", "2", "--quiet")
    drr("run", home / "study", "--shop", home / "shop", *what)
    drr("judge", home / "study", "--quiet")
    return home / "study"

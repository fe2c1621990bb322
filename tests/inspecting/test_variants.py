"""Agents of Inspect as variants, in an environment that has it; here, where it is not, a sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from drr.env.installation import install

from tests.agents.garden import ANNA
from tests.commands import Drr
from tests.inspecting.conftest import Garden

ONE_FORM = (
    "tests/agents/commands/test_model_proxy.py::test_one_script_four_agents_one_form_and_the_servers_count"
)


@pytest.mark.skipif("inspect_ai" in sys.modules, reason="Inspect is here")
def test_without_the_package_it_says_what_to_install(garden: Garden, drr: Drr) -> None:
    words = ["Which feeder?", "--shop", str(garden.shop), "--user", ANNA, "--variant", "inspect:react"]
    assert install("inspect") in drr.err("ask", *words)


@pytest.mark.wheel
@pytest.mark.parametrize("tests", ["tests/agents/inspecting", ONE_FORM])
def test_as_variants(apart: Callable[..., str], tests: str) -> None:
    printed = apart("python", "-m", "pytest", tests, "-o", "filterwarnings=default", "-p", "no:cacheprovider")
    assert " passed" in printed and "skipped" not in printed

"""A part of the tries of every area with every test run, all of them in `make endurance`: nothing gets through."""

from __future__ import annotations

import pytest
from drr.app.pages.serve import path_of_token

from tests.security.tries import Area, every_area, tried

AREAS = {area.name: area for area in every_area()}
QUICK, ALL = 10, 5_000


SECONDS_EACH = ("pumps of reports",)
NAMES = [name for name in AREAS if name not in ("expressions", *SECONDS_EACH)]
"""Expressions have a test of their own."""


@pytest.mark.parametrize(
    "name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in SECONDS_EACH)]
)
def test_nothing_gets_through(name: str) -> None:
    found = tried(AREAS[name], QUICK)
    assert found.got_through == []
    assert found.tries == QUICK


@pytest.mark.endurance
def test_of_five_thousand_tries_and_more_nothing_gets_through() -> None:
    from benchmarks.security_tries import write

    results = [tried(area) for area in AREAS.values()]
    write(results)
    assert [one for result in results for one in result.got_through] == []
    assert sum(result.tries for result in results) >= ALL


def test_what_gets_through_would_be_counted() -> None:
    area = Area(
        "doors",
        "one is open",
        lambda chance: iter([1, 2, 2, 3]),
        lambda door: "open" if door == 2 else None,
        10,
    )
    found = tried(area)
    assert (found.tries, found.got_through) == (3, ["2: open"])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("fetcher forms", "http://8.8.8.8/"),
        ("robots.txt", ("User-agent: *\nDisallow: /b", "/a")),
        ("rendering canaries", ("seen", "A seen word.")),
        ("redaction", ("pillow", "A pillow.", "text")),
        ("ports", (9, f"{path_of_token('t')}/x")),
        ("egress", ("http://other.example", {"HTTP_PROXY": "http://127.0.0.1:9"})),
    ],
)
def test_each_area_knows_what_got_through(name: str, given: object) -> None:
    assert AREAS[name].through(given) is not None

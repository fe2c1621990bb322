"""Shops on the servers, each under a name of its own, and proxies before them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from drr.env.servers.connect import Servers
from drr.env.settings import Settings

from tests.servers import running, testservers
from tests.servers.proxies import HttpProxy, MongoProxy
from tests.servers.running import Closing, changed

_NUMBERS = count()


@pytest.fixture(scope="session")
def settings() -> Settings:
    return running.settings()


@pytest.fixture
def spec(settings: Settings) -> Iterator[str]:
    """A name that no other test uses, and nothing left of it afterwards."""
    name = f"drr-faults-{os.getpid()}-{next(_NUMBERS)}"
    yield f"servers:{name}"
    running.remove_shops(settings, name)


@pytest.fixture
def closing() -> Iterator[Closing]:
    """Things to close when the test is over."""
    todo: list[Callable[[], None]] = []
    yield todo.append
    for close in todo:
        close()


@pytest.fixture
def servers(settings: Settings, closing: Closing) -> Servers:
    opened = Servers(settings)
    closing(opened.close)
    return opened


def _before(kind: str, proxied: type[MongoProxy | HttpProxy]) -> Any:
    """A fixture: settings that lead through a proxy with the rule that it is given."""

    @pytest.fixture(name=f"before_{kind}")
    def before(settings: Settings, closing: Closing) -> Callable[[Any], Settings]:
        def put(rule: Any) -> Settings:
            proxy = proxied(getattr(settings, f"{kind}_url").get_secret_value(), rule)
            closing(proxy.close)
            return changed(settings, **{f"{kind}_url": proxy.url})

        return put

    return before


before_mongodb = _before("mongodb", MongoProxy)
before_elasticsearch = _before("elasticsearch", HttpProxy)


@pytest.fixture
def published(spec: str, settings: Settings) -> str:
    running.write(spec, settings)
    return spec


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tests that were skipped or left out are a letter or a number; this is the line that says why."""
    if "not servers" in terminalreporter.config.option.markexpr:
        reason = testservers.missing()
        terminalreporter.write_line(
            "The tests on MongoDB and Elasticsearch were left out: "
            + ("`make test-servers` runs them" if reason is None else reason)
        )
    if any("no servers:" in str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(f"The tests on servers were skipped: {testservers.missing()}")

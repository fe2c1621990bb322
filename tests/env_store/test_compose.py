"""The compose files, which no engine runs here: what they promise is read out of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from drr.env.settings import Settings

ROOT = Path(__file__).parents[2]


class _Loader(yaml.SafeLoader):
    """Knows compose's own tag for a list that replaces the other file's."""


_Loader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((ROOT / name).read_text(encoding="utf-8"), Loader=_Loader)
    return loaded


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return _load("docker-compose.yml")["services"]


def test_images_are_pinned_at_versions_we_speak_with_and_not_older_than_the_last_known_flaw(
    services: dict[str, Any],
) -> None:
    from drr.env.servers.failures import NEEDED_ELASTICSEARCH

    assert services["elasticsearch"]["image"].startswith(f"elasticsearch:{NEEDED_ELASTICSEARCH}.")
    assert services["mongodb"]["image"].startswith("mongo:8.")
    for service in services.values():
        assert re.fullmatch(r"[a-z]+:\d+\.\d+\.\d+", service["image"])
        name, _, version = service["image"].partition(":")
        assert tuple(map(int, version.split("."))) >= FIXED[name], service["image"]


def test_each_has_a_port_on_loopback_a_health_check_a_volume_and_memory_for_its_heap(
    services: dict[str, Any],
) -> None:
    volumes = _load("docker-compose.yml")["volumes"]
    assert set(services) == {"mongodb", "elasticsearch"} == set(volumes)
    for kind, service in services.items():
        (port,) = service["ports"]
        host, outside, inside = port.split(":")
        assert host == "127.0.0.1" and outside == inside
        address = urlsplit(getattr(Settings(), f"{kind}_url").get_secret_value())
        assert (address.hostname, str(address.port)) == (host, outside)
        assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
        assert service["healthcheck"]["retries"] > 1
        assert [volume.split(":")[0] for volume in service["volumes"]] == [kind]
        assert re.fullmatch(r"\d+g", service["mem_limit"])
    elastic = services["elasticsearch"]
    least, most = re.findall(r"-Xm[sx](\d+)g", elastic["environment"]["ES_JAVA_OPTS"])
    assert least == most and 2 * int(most) <= int(elastic["mem_limit"][:-1])


FIXED = {"mongo": (8, 0, 37), "elasticsearch": (9, 5, 5)}
"""The newest releases known to close a published flaw: CVE-2026-118383 (before it 2026-9740 and 2025-14847), ESA-2026-195."""


def _together() -> dict[str, Any]:
    """Both files as compose reads them: values of the second replace those of the first, name by name."""
    both = _load("docker-compose.yml")["services"]
    for kind, changed in _load("docker-compose.network.yml")["services"].items():
        environment = both[kind]["environment"] | changed.get("environment", {})
        both[kind] = {**both[kind], **changed, "environment": environment}
    return both


@pytest.mark.parametrize("files", ["alone", "with the network file"])
def test_both_have_a_password_from_the_first_start_and_no_default(
    files: str, services: dict[str, Any]
) -> None:
    """A volume that was initialised without a user gets none later: opening it to a network then locked everyone out."""
    found = services if files == "alone" else _together()
    mongodb, elastic = found["mongodb"], found["elasticsearch"]
    assert "--auth" in mongodb["command"] and mongodb["environment"]["MONGO_INITDB_ROOT_USERNAME"] == "drr"
    assert elastic["environment"]["xpack.security.enabled"] == "true"
    for environment, name in (
        (mongodb["environment"], "MONGO_INITDB_ROOT_PASSWORD"),
        (elastic["environment"], "ELASTIC_PASSWORD"),
    ):
        assert environment[name].startswith("${DRR_PASSWORD:?")
        assert "`drr shop servers password`" in environment[name]
    assert "$$ELASTIC_PASSWORD" in elastic["healthcheck"]["test"][1], "without it the check never gets well"


def test_the_network_file_opens_one_named_address_and_changes_nothing_else(services: dict[str, Any]) -> None:
    network = _load("docker-compose.network.yml")["services"]
    assert set(network) == set(services)
    for kind, changed in network.items():
        assert set(changed) == {"ports"}
        (port,) = changed["ports"]
        (before,) = services[kind]["ports"]
        assert port.startswith("${DRR_BIND:?") and port.rpartition("}")[2] == before.removeprefix("127.0.0.1")

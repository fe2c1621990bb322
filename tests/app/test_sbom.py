"""The bill of materials says what the lock says: each package once, with its hashes, and nothing is passed over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.sbom import bill, pins

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")


def test_every_pin_of_the_lock_is_a_component_with_its_hashes() -> None:
    document = json.loads(json.dumps(bill(LOCK, PROJECT)))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"])
    components = document["components"]
    pinned = re.findall(r"^([A-Za-z0-9._-]+)(?:\[.*?\])?==", LOCK, re.M)
    assert [one["name"] for one in components] == [re.sub(r"[-_.]+", "-", name).lower() for name in pinned]
    refs = [one["bom-ref"] for one in components]
    assert len(set(refs)) == len(refs) and all(one["purl"] == one["bom-ref"] for one in components)
    assert sum(len(one["hashes"]) for one in components) == LOCK.count("--hash=sha256:")
    depends = document["dependencies"][0]["dependsOn"]
    assert set(depends) <= set(refs) and len(depends) > 20
    assert all(
        isinstance(row.get("expression") or row["license"], str | dict)
        for one in components
        for row in one.get("licenses", ())
    )
    assert bill(LOCK, PROJECT) == bill(LOCK, PROJECT)
    assert bill(LOCK, PROJECT)["serialNumber"] != bill(LOCK + "\n", PROJECT)["serialNumber"]


def test_a_line_that_is_not_understood_is_not_passed_over() -> None:
    assert (
        pins("a==1 ; sys_platform == 'win32' \\\n    --hash=sha256:" + "0" * 64)[0].marker
        == "sys_platform == 'win32'"
    )
    for line in ("a>=1", "-e .", "a @ file:///x"):
        with pytest.raises(ValueError, match="line 1 is no pinned package"):
            pins(line)

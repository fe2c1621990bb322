"""A bill of materials from the lock, as CycloneDX JSON. Each package with its version and the hashes of its files.

    python -m benchmarks.sbom requirements.lock > sbom.json

Licences are those that the installed packages state; a package that is not installed here has none.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple, NotRequired, TypedDict
from uuid import NAMESPACE_OID, uuid5

SPEC = "1.6"
_PIN = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(\S+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_CLASSIFIER = "License :: "
_LONGEST = 60


class Pin(NamedTuple):
    """One package of the lock."""

    name: str
    version: str
    marker: str | None
    hashes: list[str]


class Component(TypedDict):
    """A package in the bill."""

    type: str
    name: str
    version: str
    purl: NotRequired[str]
    hashes: NotRequired[list[dict[str, str]]]
    licenses: NotRequired[list[dict[str, object]]]
    properties: NotRequired[list[dict[str, str]]]


def pins(lock: str) -> list[Pin]:
    """Read the pins. `ValueError` for a line that is neither a package, a hash, a comment nor blank: a bill must not lack one silently."""
    found: list[Pin] = []
    for number, line in enumerate(lock.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        requirement, _, marker = line.strip().removesuffix("\\").partition(";")
        if hashed := _HASH.fullmatch(requirement.strip()):
            found[-1].hashes.append(hashed[1])
        elif pinned := _PIN.fullmatch(requirement.strip()):
            found.append(Pin(_canonical(pinned[1]), pinned[2], marker.strip() or None, []))
        else:
            raise ValueError(f"line {number} is no pinned package: {line[:80]!r}")
    return found


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def bill(lock: str, project: str) -> dict[str, object]:
    """The same lock gives the same bill, byte by byte, where the same packages are installed."""
    project_table = tomllib.loads(project)["project"]
    name, version = _canonical(project_table["name"]), project_table["version"]
    return _bill(
        Pin(name, version, None, []),
        project_table["license"],
        project_table["dependencies"],
        pins(lock),
        lock,
    )


def _bill(
    root: Pin, licence: str, requirements: Sequence[str], packages: Sequence[Pin], seed: str
) -> dict[str, object]:
    ref = _ref(root.name, root.version)
    direct = [
        _canonical(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0])
        for line in requirements
        if "extra ==" not in line
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC,
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_OID, ref + seed)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": ref,
                "name": root.name,
                "version": root.version,
                "purl": ref,
                "licenses": [{"license": {"id": licence}}],
            }
        },
        "components": [{"bom-ref": _ref(one.name, one.version), **_component(one)} for one in packages],
        "dependencies": [
            {
                "ref": ref,
                "dependsOn": sorted(_ref(one.name, one.version) for one in packages if one.name in direct),
            }
        ],
    }


def _ref(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _component(pin: Pin) -> Component:
    row: Component = {
        "type": "library",
        "name": pin.name,
        "version": pin.version,
        "purl": _ref(pin.name, pin.version),
    }
    if pin.hashes:
        row["hashes"] = [{"alg": "SHA-256", "content": digest} for digest in pin.hashes]
    if licences := list(_licences(pin.name)):
        row["licenses"] = licences
    if pin.marker:
        row["properties"] = [{"name": "drr:marker", "value": pin.marker}]
    return row


@cache
def _licences(name: str) -> tuple[dict[str, object], ...]:
    """An expression where there is one, else names."""
    try:
        about: PackageMetadata = metadata(name)
    except PackageNotFoundError:
        return ()
    fields = about.json
    if expression := fields.get("license_expression"):
        return ({"expression": expression},)
    classifiers = [one for one in fields.get("classifier", ()) if one.startswith(_CLASSIFIER)]
    named = [one.rpartition(" :: ")[2] for one in classifiers]
    text = " ".join(str(fields.get("license", "")).split())
    named = named or ([text] if 0 < len(text) <= _LONGEST else [])
    return tuple({"license": {"name": licence}} for licence in named)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sbom", description=__doc__)
    parser.add_argument("lock", nargs="?", type=Path, default=Path("requirements.lock"))
    given: Path = parser.parse_args().lock
    document = bill(given.read_text("utf-8"), given.with_name("pyproject.toml").read_text("utf-8"))
    json.dump(document, sys.stdout, indent=1)
    print()

"""The rooms are folders at the top; installed, they are packages of one name, `drr`.

The face stands in `src`: a folder `drr` at the top would hide the installed package from who works in a clone.
"""

from setuptools import find_packages, setup

ROOMS = (
    "citations",
    "wording",
    "env",
    "data_ingest",
    "tools",
    "llm",
    "agents",
    "study",
    "querygen",
    "eval",
    "offline",
    "papers",
    "extras",
    "app",
)

setup(
    packages=[
        "drr",
        "drr_retail",
        *(f"drr.{name}" for name in find_packages(include=[*ROOMS, *(f"{room}.*" for room in ROOMS)])),
    ],
    # verifiers finds a taskset by a name without a dot
    package_dir={
        "drr": "src/drr",
        "drr_retail": "extras/verifiers",
        **{f"drr.{room}": room for room in ROOMS},
    },
)

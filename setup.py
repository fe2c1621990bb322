"""The rooms are folders at the top; installed, they are packages of one name, `drr`.

The face stands in `src`: a folder `drr` at the top would hide the installed package from who works in a clone.
"""

import os
import re
from pathlib import Path

from setuptools import find_packages, setup

TREE = os.environ.get("DRR_TREE", "")
"""Address of the repository at the tag, as `https://HOST/OWNER/NAME/blob/TAG`. Who publishes sets it: the index's page follows no relative link."""

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


def readme() -> str:
    """Return README, with addresses in the place of links to files if the repository's is known."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    if not TREE:
        return text
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:)", rf"\1{TREE.replace('/blob/', '/raw/')}/", text)
    return re.sub(r"(\]\()(?!https?:|#)", rf"\1{TREE}/", text)


setup(
    long_description=readme(),
    long_description_content_type="text/markdown",
    project_urls={
        "Paper": "https://aclanthology.org/2026.acl-industry.26",
        **({"Source": TREE.partition("/blob/")[0], "Changelog": f"{TREE}/CHANGELOG.md"} if TREE else {}),
    },
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

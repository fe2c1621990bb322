"""Builds what `pyproject.toml` describes, with a README whose links lead to the repository."""

import os
import re
from pathlib import Path

from setuptools import setup

TREE = os.environ.get("DRR_TREE", "")
"""Address of the repository at the tag, as `https://HOST/OWNER/NAME/blob/TAG`. Who publishes sets it: the index's page follows no relative link."""


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
)

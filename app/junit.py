"""Checks as a JUnit file, which CI systems show line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from drr.app.screen import plain

_NO_XML = re.compile("[\ufffe\uffff]")


class JunitCase(NamedTuple):
    group: str
    name: str
    failure: str | None
    """One line; `None` where it holds."""
    detail: str = ""


def junit(suite: str, cases: Sequence[JunitCase]) -> str:
    failed = sum(case.failure is not None for case in cases)
    root = Element("testsuites")
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    suite_element = SubElement(root, "testsuite", {"name": _text(suite), **counts})
    for case in cases:
        row = SubElement(
            suite_element, "testcase", {"classname": _text(case.group), "name": _text(case.name)}
        )
        if case.failure is not None:
            failure = SubElement(row, "failure", {"message": _text(case.failure)})
            failure.text = _text(case.detail)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _text(text: str) -> str:
    """Keep of a stranger's text what XML can take."""
    return _NO_XML.sub("\ufffd", plain(text))

"""The speed of the citation parser: on reports as they are, and on a megabyte made to slow it down.

python -m benchmarks.citations [--dry]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from drr.citations.parse import parse
from drr.env.progress import collector_off

from benchmarks.results import record, table

SIZE = 1_000_000
SHOWN = 20
HOSTILE: dict[str, str] = {
    "open brackets": "[",
    "open brackets, twice": "[[",
    "closed brackets": "]]",
    "link starts": "](",
    "empty links": "[](",
    "unclosed links": "[a](http://(",
    "unclosed link texts": "[http://a ",
    "unclosed titles": '[a](http://b "c ',
    "unclosed addresses": "](http://a(",
    "open parentheses in addresses": "[t](http://a_(b) ",
    "bare markers": "[1] ",
    "glued markers": "[1]",
    "marker lists": "[1,2,3] ",
    "intervals": "CI [1,2] ",
    "ratings": "x: [1,2] ",
    "wide markers": "【1】",
    "wide line ranges": "【1†L1】",
    "wide link starts": "】(",
    "wide parentheses": "[a]（http://b） ",
    "footnote markers": "[^a]",
    "unclosed footnote markers": "[^",
    "bare addresses": "http://a ",
    "addresses of users": "user://a ",
    "addresses in angle brackets": "<http://a>",
    "unclosed angle brackets": "<http://",
    "joined addresses": "http://a,",
    "addresses within addresses": "http://a/http://b/",
    "addresses as parameters": "http://a?u=http://",
    "parameters to drop": "http://a?utm_a=b&c ",
    "closed addresses": "http://a)/",
    "addresses in Chinese": "http://a中",
    "escaped addresses": "[a](http://b\\_c) ",
    "entities": "&amp;",
    "entities in addresses": "[a](http://b?c&amp;d) ",
    "links": "[x](http://a) ",
    "links in links": "[[1](http://a)](http://b) ",
    "links in parentheses": "([a](http://b)) ",
    "links with numbers": "[[1]](http://a) ",
    "images": "![x](http://a)\n",
    "reference-style images": "![x][y]\n",
    "reference-style links": "[x][1] ",
    "backslashes": "\\",
    "escaped brackets": "\\[",
    "formulas": "\\[ $$ ",
    "closed formulas": "\\[x^2\\] ",
    "backticks": "` `` ",
    "one backtick after another": "`",
    "fences": "```a\n",
    "fences in fences": "````\n```\n",
    "blank lines": "\n",
    "lines of one letter": "a\n",
    "lines of one space": " \n",
    "list entries": "[1] t http://a\n",
    "list entries without addresses": "[1] a\n",
    "numbered lines": "1. a\n",
    "numbers alone": "1) \n",
    "numbered addresses": "1. http://a\n",
    "numbered links": "1. [t](http://x)\n",
    "numbered links with prices": "1. [a](http://b) $5\n",
    "addresses under numbers": "1. a\n   http://b\n",
    "numbers and dashes": "1 - http://a\n",
    "raised numbers": "¹ http://a\n",
    "bullets": "- a\n",
    "bulleted addresses": "- http://a\n",
    "quoted entries": "> [1] http://a\n",
    "headings": "# a\n",
    "reference headings": "# Sources\n[1] http://a.com/b\n\n",
    "bold headings": "**Sources**\na\n",
    "labels of lists": "Sources:\nhttp://a\n",
    "lists on one line": "Sources: [1] http://a [2] http://b\n",
    "nested arrays": "[[1,2],",
    "text fragments": "[t](http://a#:~:text=b c d",
    "table rows": "| 1 | http://a.com |\n",
    "footnotes": "[^1]: http://a\n",
    "footnotes without addresses": "[^1]: a\n",
    "definitions": "[a]: http://a\n",
    "empty definitions": "[a]:\n",
    "tags": "<a ",
    "anchors": '<a href="http://a">x</a> ',
    "open anchors": '<a href="http://a"> ',
    "superscript tags": "<sup>1</sup> ",
    "huge ranges": "[1-900] ",
    "sentences with numbers": "Foo bar.1 ",
    "words with numbers": "a.1 ",
    "comments": "<!-- ",
    "rules": "---\n",
}
LINES = (
    "a",
    "1. a",
    "1)",
    "- a",
    "[a]:",
    "# a",
    "¹ http://a",
    "| 1 | http://a |",
    "...",
    "---",
    "Smith (2020). A. b",
)
GROWING: dict[str, Callable[[int], str]] = {
    "addresses, all different": lambda i: f"http://a.b/{i} ",
    "links, all different": lambda i: f"[{i}](http://a.b/{i}) ",
    "footnotes, all different": lambda i: f"[^n{i}]: a\n",
    "definitions, all different": lambda i: f"[l{i}]: http://a/{i}\n",
    "marker lists, all different": lambda i: f"[{i % 997 + 1},{i // 997 + 1}] ",
    "ranges, all different": lambda i: f"[1-{i % 800 + 150},{i}] ",
    "labels, all different": lambda i: f"ref{i}\n",
    "many lists": lambda i: f"[{i}] http://a\n[{i + 1}] http://b\n\nText cites [{i}].\n\n",
    "many lists, cited far away": lambda i: (
        f"[{i % 9000}] http://a\n[{(i + 1) % 9000}] http://b\n\nx [1]\n\n"
    ),
    "many sections": lambda i: f"# References\n1. http://a/{i}\n# B\n[1]\n",
    "backticks of every length": lambda i: "`" * (i % 1400 + 1) + " ",
}
WHOLE: dict[str, str] = {
    "one word": "a" * SIZE,
    "one address": "http://a/" + "b" * SIZE,
    "one address of parentheses": "[a](http://a/" + "()" * (SIZE // 2) + ")",
    "brackets in brackets": "[" * (SIZE // 2) + "]" * (SIZE // 2),
    "one heading": "# " + "References " * (SIZE // 11),
}
LIST = "\n\n## Sources\n" + "\n".join(f"{n}. t http://a.com/{n}" for n in range(1, 1000))


def hostile() -> Iterator[tuple[str, str]]:
    """Name and text, a megabyte each."""
    for name, piece in HOSTILE.items():
        yield name, piece * (SIZE // len(piece)) + LIST
    for line in LINES:
        yield f"a section of `{line}`", "# Sources\n" + f"{line}\n" * (SIZE // (len(line) + 1))
    for name, make in GROWING.items():
        pieces: list[str] = []
        length = 0
        while length < SIZE:
            pieces.append(make(len(pieces)))
            length += len(pieces[-1])
        yield name, "".join(pieces) + LIST
    yield from WHOLE.items()


def seconds(text: str) -> float:
    """With the garbage collector off, as `read_in_time` and `drr judges check` read."""
    with collector_off():
        start = process_time()
        parse(text)
        return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="do not record")
    arguments = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "citations"))
    from corpus import CORPUS

    reports = [one.report for one in CORPUS]
    ordinary = "\n\n".join(report for report in reports)
    plain = "A sentence about birds that says nothing in particular [1]. Another one follows it here. " * 12
    body = "\n\n".join([plain] * 900) + LIST
    speeds = [
        [
            "the corpus of forms, report by report",
            f"{sum(map(len, reports)) / 1e6 / sum(map(seconds, reports)):.1f}",
        ],
        ["the same in one text", f"{len(ordinary) / 1e6 / seconds(ordinary):.1f}"],
        ["prose with a marker every 90 characters, 1 MB", f"{len(body) / 1e6 / seconds(body):.1f}"],
    ]
    attacks = {name: seconds(text) for name, text in hostile()}
    slowest = max(attacks, key=attacks.__getitem__)
    text = (
        f"Processor seconds. Of {len(attacks)} megabytes of one thing over and over, with a list of 999 entries behind it, the slowest "
        f"took {attacks[slowest]:.2f} s ({slowest}).\n\n" + table(["text", "MB/s"], speeds)
    )
    if arguments.dry:
        print(text)
    else:
        record("Citations", text)


if __name__ == "__main__":
    main()

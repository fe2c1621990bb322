"""How fast the citation parser is: on reports as they are, and on a megabyte made to slow it down.

python -m benchmarks.citations [--dry]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

from benchmarks.results import machine, record, table
from eval.citations import parse

SIZE = 1_000_000
HOSTILE: dict[str, str] = {
    "open brackets": "[",
    "link starts": "](",
    "unclosed links": "[a](http://(",
    "unclosed addresses": "](http://a(",
    "bare markers": "[1] ",
    "glued markers": "[1]",
    "marker lists": "[1,2,3] ",
    "wide markers": "【1】",
    "bare addresses": "http://a ",
    "joined addresses": "http://a,",
    "links": "[x](http://a) ",
    "backticks": "` `` ",
    "blank lines": "\n",
    "list entries": "[1] t http://a\n",
    "numbered links": "1. [t](http://x)\n",
    "reference headings": "# Sources\n[1] http://a.com/b\n\n",
    "nested arrays": "[[1,2],",
    "text fragments": "[t](http://a#:~:text=b c d",
    "table rows": "| 1 | http://a.com |\n",
    "footnotes": "[^1]: http://a\n",
    "tags": "<a ",
    "formulas": "\\[ $$ ",
    "huge ranges": "[1-900] ",
    "sentences with numbers": "Foo bar.1 ",
    "comments": "<!-- ",
    "fences": "```a\n",
    "closed addresses": "http://a)/",
    "addresses in Chinese": "http://a中",
}
LIST = "\n\n## Sources\n" + "\n".join(f"{n}. t http://a.com/{n}" for n in range(1, 1000))


def hostile(piece: str) -> str:
    return piece * (SIZE // len(piece)) + LIST


def seconds(text: str) -> float:
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
    attacks = [[name, f"{seconds(hostile(piece)):.2f}"] for name, piece in HOSTILE.items()]
    text = "\n\n".join(
        [
            f"{machine()}; processor seconds.",
            table(["text", "MB/s"], speeds),
            f"A megabyte of one thing over and over, with a list of 999 entries behind it; the slowest: {max(float(s) for _, s in attacks):.2f} s.",
            table(["of", "s"], attacks),
        ]
    )
    if arguments.dry:
        print(text)
    else:
        record("Citations", text)


if __name__ == "__main__":
    main()

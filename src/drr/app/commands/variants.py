"""The command `drr variants`: the agents that can be run, six of the paper, those with further options, plug-ins."""

from __future__ import annotations

import argparse

from drr.app.console import print_result
from drr.app.notices import notice
from drr.app.terminal import wrapped_paragraph

_EXAMPLES = """\
A variant is ARCHITECTURE[+profile][+own][+ws]; `all` means the paper's six. Another package adds one through an entry point
of the group `drr.variants`; path/file.py:function is one that nobody installed, 'cmd:COMMAND' any program,
inspect:NAME an agent of Inspect AI. See docs/agents.md.

examples:
  drr variants
  drr variants --json
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.agents.base import PROFILE, WS
    from drr.agents.registry import PAPER, plug_ins, variants

    known = variants()
    for problem in plug_ins()[1].values():
        notice(f"not usable: {problem}")
    width, lines = max(map(len, known)), list[str]()
    for name, variant in known.items():
        mark = "*" if name in PAPER else " "
        line = (
            f"{mark} {name:<{width}}  v{variant.version}  {variant.summary} ({variant.architecture.origin})"
        )
        lines.append(wrapped_paragraph(line, width + 8))
    rows = [
        {
            "name": name,
            "version": variant.version,
            "architecture": variant.architecture.name,
            "roles": list(variant.roles),
            "profile": variant.has(PROFILE),
            "page_summaries": variant.has(WS),
            "summary": variant.summary,
            "origin": variant.architecture.origin,
            "in_all": name in PAPER,
        }
        for name, variant in known.items()
    ]
    print_result(arguments, {"variants": rows}, *lines, "\n* the paper's six, which `--variants all` runs")
    return 0

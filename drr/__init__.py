"""DeepResearch Retail: a shop you can hold in your hand, and a bench to measure research agents in it.

The names of `__all__` are the public face; everything else may change with any version. The rooms of this package
(`drr.env`, `drr.tools`, ...) are the folders of those names beside this one.
"""

from typing import TYPE_CHECKING

from drr.face import acheck, ask, call_tool, check, judge, metrics, open_shop, run, session, verdicts

if TYPE_CHECKING:
    from drr.app.checking import Findings
    from drr.app.session import ToolReply, ToolSession
    from drr.env.errors import DrrError, Misuse
    from drr.env.settings import Settings

_TYPES = {
    "DrrError": "drr.env.errors",
    "Findings": "drr.app.checking",
    "Misuse": "drr.env.errors",
    "Settings": "drr.env.settings",
    "ToolReply": "drr.app.session",
    "ToolSession": "drr.app.session",
}
"""Where each lives; loaded when it is named, so that `import drr` costs nothing."""

__all__ = [
    "DrrError",
    "Findings",
    "Misuse",
    "Settings",
    "ToolReply",
    "ToolSession",
    "acheck",
    "ask",
    "call_tool",
    "check",
    "judge",
    "metrics",
    "open_shop",
    "run",
    "session",
    "verdicts",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _TYPES:
        raise AttributeError(f"module 'drr' has no attribute {name!r}")
    return getattr(import_module(_TYPES[name]), name)

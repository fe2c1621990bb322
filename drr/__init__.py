"""DeepResearch Retail: a shop you can hold in your hand, and a bench to measure research agents in it.

The names of `__all__` are the public face; everything else may change with any version. The rooms of this package
(`drr.env`, `drr.tools`, ...) are the folders of those names beside this one.
"""

from drr.face import ask, call_tool, judge, metrics, open_shop, run, verdicts

__all__ = ["ask", "call_tool", "judge", "metrics", "open_shop", "run", "verdicts"]

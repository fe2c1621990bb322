"""The steps that reproduce DR3-Eval: agents on tasks with files at several sizes, then with fewer pages or another search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drr.plugin import PaperOption, Reproduction, Size, Step
from drr.study.study import Study

OPTIONS = {
    "n": PaperOption("tasks", "size"),
    "tasks": PaperOption("tasks with files, instead of those that come with the program", "folder", "DIR"),
    "sizes": PaperOption("of their frozen pages, e.g. 32k,128k", "text", "LIST"),
    "reach": PaperOption(
        "what of the pages the first variant reaches at one size, or `off` (default without distractors, supportive pages only, none, dense, one and three turns, long context)",
        "text",
        "LIST",
    ),
}
EXAMPLES = (
    "  drr papers reproduce --paper dr3 --tasks tasks --out dr3                        # tasks with files, size by size",
)
SIZES = {"n": Size(3, 32)}
OWN = ("tasks", "sizes", "reach")
VARIANTS = "dr3,dr3+validate,react"
SMALL, PAPER = "32k,64k", "64k,128k,512k"
"""Sizes of the frozen pages: those that rules can judge in minutes, and those of the paper's main table."""
REACH = "no-distractors,supportive,none,dense,turns:1,turns:3,long-context"
MIDDLE = "128k"
"""Size at which the paper runs its ablations."""
HEADLINE = ("dr3_ir_sc", "dr3_cc", "dr3_ir_uf", "dr3_avg")


def check(asked: Reproduction) -> None:
    from drr.env.reach import reaches_of

    if asked.arguments.reach not in (None, "off"):
        reaches_of(asked.arguments.reach)


def steps(asked: Reproduction) -> Iterator[Step]:
    arguments = asked.arguments
    tasks = asked.places.path_of(arguments.tasks, "tasks")
    sizes = arguments.sizes or (SMALL if asked.by_rules else PAPER)
    if arguments.tasks is None:
        size = ["--n", str(asked.sizes["n"]), "--sizes", sizes]
        words = ["papers", "tasks", "drawer", "--out", str(tasks), *size, *asked.quiet]
        yield Step(words, "input", tasks / "manifest.json")
    variants = arguments.variants or VARIANTS
    # Without this only the agent dr3 would be warned of distractors. A study begun with the warning keeps it, and its answers.
    unwarned = [] if Study.exists(Path(asked.study)) else ["--page-warning", "off"]
    # Each call computes only what it names; otherwise the study would compute every reach of every variant.
    what = [
        "--tasks", str(tasks), "--sizes", sizes, "--variants", variants, "--reach", "whole", "--only",
        *unwarned,
    ]  # fmt: skip
    yield asked.answers(what)
    reach = arguments.reach or REACH
    if reach != "off":
        one = MIDDLE if MIDDLE in sizes.split(",") else sizes.split(",")[0]
        what = ["--tasks", str(tasks), "--sizes", one, "--variants", variants.split(",")[0]]
        yield asked.answers([*what, "--reach", reach, "--only", *unwarned])
    yield from asked.judging(["--what", "dr3"])
    yield from asked.report("dr3")

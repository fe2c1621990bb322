"""DR3-Eval: tasks with files and frozen pages, size by size."""

from __future__ import annotations

from collections.abc import Iterator

from drr.app.papers.steps import Reproduction, Size, Step, answered, judged, reported, sample_shop

SIZES = {"n": Size(3, 100)}
OWN = ("tasks", "sizes")
VARIANTS = "react,hybrid-react"
SMALL, PAPER = "32k,64k", "64k,128k,512k"
"""Of the frozen pages: what rules are shown in minutes, and what the paper's main table has."""
HEADLINE = ("fp", "fp_file", "overall")


def check(asked: Reproduction) -> None:
    """What is wrong the commands say themselves."""


def steps(asked: Reproduction) -> Iterator[Step]:
    tasks = asked.places.given(asked.arguments.tasks, "tasks")
    sizes = asked.arguments.sizes or (SMALL if asked.by_rules else PAPER)
    if asked.arguments.tasks is None:
        yield from sample_shop(asked)
        size = ["--n", str(asked.sizes["n"]), "--sizes", sizes, "--seed", str(asked.arguments.seed)]
        words = ["tasks", "drawer", "--shop", asked.shop, "--out", str(tasks), *size, *asked.quiet]
        yield Step(words, "input", tasks / "manifest.json")
    what = ["--tasks", str(tasks), "--sizes", sizes, "--variants", asked.arguments.variants or VARIANTS]
    yield answered(asked, what, asked.budget)
    yield from judged(asked, ["--what", "faithfulness,citations,quality"], asked.budget)
    yield from reported(asked, ["--paper", "dr3"])

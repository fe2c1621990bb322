"""Reproduces the retail paper: generated questions, six variants, faithfulness, quality and pairwise comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drr.app.papers.steps import PaperOption, Reproduction, Size, Step
from drr.eval.tasks.registry import groups

OPTIONS = {
    "users": PaperOption("users to write queries for", "size"),
    "per_user": PaperOption("queries per user", "size"),
    "queries": PaperOption("these instead of generated ones (default: generated)", "file", "FILE"),
}
EXAMPLES = ()
SIZES = {"users": Size(17, 17), "per_user": Size(3, 3)}
OWN = ("queries",)
"""Options of the paper commands that this paper takes and some other papers do not."""
HEADLINE = ("fp", "fr", "overall", "input_tokens", "tool_calls")


def check(asked: Reproduction) -> None:
    """Check nothing: the commands report their errors themselves."""


def steps(asked: Reproduction) -> Iterator[Step]:
    yield from asked.sample_shop()
    given = asked.arguments.queries
    queries: Path = asked.places.path_of(given, "queries.jsonl")
    budget = asked.budget
    if given is None:
        size = ["--users", str(asked.sizes["users"]), "--per-user", str(asked.sizes["per_user"])]
        seed = ["--seed", str(asked.arguments.seed)]
        yield asked.queries([*size, *seed])
        budget = ["--budget", f"{budget_after_queries(asked.arguments.budget, queries):g}"] if budget else []
        # Figure 5: questions by the same writer without the shopper's profile.
        generic = asked.places.of("generic.jsonl")
        fewer = ["--users", str(asked.sizes["users"]), "--per-user", "1", "--mode", "generic", *seed]
        yield asked.queries(fewer, generic, budget)
        budget = ["--budget", f"{budget_after_queries(float(budget[1]), generic):g}"] if budget else []
        yield Step(["queries", "stats", str(queries), "--against", str(generic)], "report")
    what = ["--shop", asked.shop, "--queries", str(queries), "--variants", asked.arguments.variants or "all"]
    yield asked.answers(what, budget)
    yield from asked.judging(["--what", ",".join([*groups(usual=True), "failures"])], budget)
    yield from asked.report("retail")


def budget_after_queries(budget: float, queries: Path) -> float:
    """Return the part of the budget that is left after writing the queries."""
    from drr.llm.meter import dollars
    from drr.study.study import Study

    folder = queries.with_name(queries.name + ".study")
    if not Study.exists(folder):
        return budget
    with Study.read(folder) as study:
        return max(budget - (dollars(study.ledger.accounts.total().most_cost) or 0.0), 0.0)

"""`inspect eval drr/retail`: a shop's questions as an Inspect evaluation, with the shop's tools, and the judges as scorers."""

from __future__ import annotations

from drr.env.errors import Misuse
from drr.extras.inspect.bench import Bench, BenchPlan, bench_of
from drr.extras.inspect.keeping import check_terms
from drr.extras.inspect.samples import begin, end
from drr.extras.inspect.scoring import USUAL, check_groups, in_one_line, registry_name, scorers_of
from drr.extras.inspect.tools import shop_tools
from drr.extras.inspect.variants import default_agent
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver(name=registry_name("session"))
def session(bench: Bench, system: str | None) -> Solver:
    """Return a solver that runs before all others: it opens the sample's session and adds the instructions."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await begin(state, bench, system or f"inspect {state.model}")
        state.tools = shop_tools()
        return state

    return solve


@task(name=registry_name("retail"))
def retail(
    shop: str | None = None,
    queries: str | None = None,
    limit: int | None = None,
    what: str | list[str] = USUAL,
    judge: str | None = None,
    study: str | None = None,
    budget: float | None = None,
    system: str | None = None,
) -> Task:
    """Cited reports on shoppers' questions. Without `shop` the built-in questions, asked in the sample shop.

    `what`: groups of figures with commas. `judge`: who judges, else the settings; code alone where no model is named. `study`: a folder in
    which answers and judgements are kept, for `drr report` and the rest. `budget`: dollars that its judging may cost. `system`: what
    the agent is called there.
    """
    with in_one_line():
        plan = BenchPlan(
            shop, queries, what if isinstance(what, str) else ",".join(what), judge, study, budget
        )
        if limit is not None and limit < 1:
            raise Misuse(f"-T limit={limit}: give a number of questions, 1 or more")
        check_groups(plan.groups)
        bench = bench_of(plan)
        check_terms(bench)
    asked = list(bench.queries.values())[:limit]
    samples = [Sample(id=one.id, input=one.query, metadata={"user_id": one.user_id}) for one in asked]
    return Task(
        dataset=MemoryDataset(samples, name="retail", location=plan.queries),
        setup=session(bench, system),
        solver=default_agent(shop_tools()),
        scorer=scorers_of(plan),
        cleanup=end,
        version=1,
        metadata={"shop": bench.shop},
    )

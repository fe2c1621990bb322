"""The steps that reproduce PDR-Bench. Several persons ask each task; agents are given nothing, a context, the person, or a memory."""

from __future__ import annotations

from collections.abc import Iterator

from drr.llm.names import OFFLINE
from drr.plugin import PaperOption, Reproduction, Size, Step

OPTIONS = {
    "users": PaperOption("users to make persons of", "size"),
    "n": PaperOption("tasks", "size"),
    "per_task": PaperOption("persons who ask each task", "size"),
    "context": PaperOption("tokens of a context, and the most that a memory hands on", "size"),
    "rounds": PaperOption("each criterion is scored so many times", "size"),
    "persons": PaperOption("these instead of those that rules make of the shop", "file", "FILE"),
    "memories": PaperOption("with commas, or `off` (default none,recent)", "text", "NAMES"),
}
EXAMPLES = (
    "  drr papers reproduce --paper pdr --out pdr                                      # persons, contexts, memories; a sample shop",
    "  drr papers reproduce --paper pdr --shop shop --model anthropic:claude-sonnet-5-5 --budget 100 --out pdr --dry-run",
)
SIZES = {
    "users": Size(8, 25), "n": Size(4, 50), "per_task": Size(2, 3), "context": Size(4_000, 32_000), "rounds": Size(1, 3),
}  # fmt: skip
OWN = ("memories", "n", "per_task", "context", "rounds", "persons")
VARIANTS = "plan-to-function,react,hybrid-react"
MEMORIES = "none,recent"
"""Default memories, which need no package; mem0 from the paper can be named."""
HEADLINE = ("pqr_p", "pqr_q", "pqr_r", "pqr_overall")


def check(asked: Reproduction) -> None:
    from drr.env.person_setting import setting_of

    for name in (asked.arguments.memories or MEMORIES).split(","):
        if name != "off":
            setting_of(f"memory:{name.strip()}")


def steps(asked: Reproduction) -> Iterator[Step]:
    yield from asked.sample_shop()
    yield from _inputs(asked)
    variants = asked.arguments.variants or VARIANTS
    size = str(asked.sizes["context"])
    queries = ["--queries", str(asked.places.of("queries.jsonl")), "--shop", asked.shop]
    what = [*queries, "--persons", _persons(asked), "--contexts", str(asked.places.of("contexts"))]
    # Each call computes only what it names; otherwise the study would compute every memory of every variant.
    words = ["--settings", f"task,context:{size},persona", "--variants", variants, "--only"]
    yield asked.answers([*what, *words])
    memories = asked.arguments.memories or MEMORIES
    if memories != "off":
        settings = ",".join(f"memory:{name.strip()}:{size}" for name in memories.split(","))
        one = variants.split(",")[0]
        only = [*what, "--settings", settings, "--variants", one, "--only"]
        yield asked.answers(only)
    scored = ["--what", "pqr", "--persons", _persons(asked), "--rounds", str(asked.sizes["rounds"])]
    yield from asked.judging(scored)
    yield from asked.report("pdr")


def _persons(asked: Reproduction) -> str:
    return str(asked.places.path_of(asked.arguments.persons, "persons.jsonl"))


def _inputs(asked: Reproduction) -> Iterator[Step]:
    """Yield the steps that make persons, contexts, tasks and queries. Rules make them, so that every model gets the same."""
    places, sizes, seed = asked.places, asked.sizes, ["--seed", str(asked.arguments.seed)]
    persons, shop = places.path_of(asked.arguments.persons, "persons.jsonl"), ["--shop", asked.shop]
    if asked.arguments.persons is None:
        users = ["--users", str(sizes["users"]), *seed, "--model", OFFLINE, *asked.quiet]
        yield Step(["papers", "persons", "build", *shop, "--out", str(persons), *users], "input", persons)
    contexts, tasks, queries = map(places.of, ("contexts", "tasks.jsonl", "queries.jsonl"))
    size = ["--tokens", str(sizes["context"]), *seed, *asked.quiet]
    words = ["papers", "context", "build", str(persons), *shop, "--out", str(contexts), *size]
    yield Step(words, "input", contexts / "manifest.json")
    words = ["papers", "tasks", "build", *shop, "--out", str(tasks), "--n", str(sizes["n"])]
    yield Step(words, "input", tasks)
    each = ["--per-task", str(sizes["per_task"]), *seed, "--out", str(queries)]
    yield Step(["papers", "tasks", "pairs", str(tasks), str(persons), *each], "input", queries)

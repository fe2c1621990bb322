"""The steps that reproduce ReportEval: grades, repetition and support of given or new reports, and a judge compared with experts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from drr.env.errors import Misuse
from drr.eval.stats.question import grouped
from drr.plugin import PaperOption, Reproduction, Size, Step

OPTIONS = {
    "users": PaperOption("users to write queries for", "size"),
    "per_user": PaperOption("queries per user", "size"),
    "queries": PaperOption("these instead of generated ones (default: generated)", "file", "FILE"),
    "reports": PaperOption("of any system, instead of our variants'", "file", "FILE"),
    "labels": PaperOption("what experts said", "file", "FILE"),
    "align": PaperOption(
        "what --labels are of (default quality)", "text", "", ("quality", "redundancy", "support")
    ),
}
EXAMPLES = (
    "  drr papers reproduce --paper reporteval --reports reports.jsonl --out re        # reports of any system",
    "  drr papers reproduce --paper reporteval --labels experts.jsonl --out re         # and the judge beside experts",
)
SIZES = {"users": Size(8, 50), "per_user": Size(1, 2)}
OWN = ("queries", "reports", "labels", "align")
VARIANTS = "plan-to-function,react,hybrid-react"
ALIGNED = "quality"
HEADLINE = ("re_overall", "re_non_redundancy", "re_support")


def steps(asked: Reproduction) -> Iterator[Step]:
    arguments = asked.arguments
    if arguments.reports is not None:
        shop = asked.words("shop", "shop_url")
        yield Step(["study", "import", asked.study, str(arguments.reports), *shop, *asked.quiet], "run")
    else:
        yield from asked.sample_shop()
        queries = asked.places.path_of(arguments.queries, "queries.jsonl")
        if arguments.queries is None:
            size = ["--users", str(asked.sizes["users"]), "--per-user", str(asked.sizes["per_user"])]
            yield asked.queries([*size, "--seed", str(arguments.seed)])
        variants = ["--variants", arguments.variants or VARIANTS]
        yield asked.answers(["--shop", asked.shop, "--queries", str(queries), *variants])
    yield from asked.judging(["--what", "reporteval"])
    yield from _alignment_steps(asked)
    yield from asked.report("reporteval")


def _alignment_steps(asked: Reproduction) -> Iterator[Step]:
    """Yield the steps of the alignment, on the dev half only: the test half is judged only on purpose."""
    if asked.arguments.labels is None:
        return
    task, labels = asked.arguments.align or ALIGNED, str(asked.arguments.labels)
    align = ["judges", "align"]
    if not _is_split(Path(asked.study), task):
        yield Step([*align, "new", asked.study, "--labels", labels, "--task", task], "align")
    by = ["--judge", asked.arguments.judge] if asked.arguments.judge else asked.words("model")
    rest = [*by, *asked.server, *asked.budget, *asked.quiet]
    yield Step([*align, "run", asked.study, "--task", task, *rest], "align")


def _is_split(folder: Path, task: str) -> bool:
    from drr.papers.reporteval.alignment.store import alignments
    from drr.study.study import Study

    if not Study.exists(folder):
        return False
    with Study.read(folder) as study:
        return any(one.task.name == task for one in alignments(study))


def check(asked: Reproduction) -> None:
    """Raise `Misuse` if the systems of a file answered different questions, as their means would not be comparable."""
    arguments = asked.arguments
    if arguments.align is not None and arguments.labels is None:
        raise Misuse("--align: says what --labels are of; give both")
    if arguments.reports is None:
        return
    if arguments.queries is not None or arguments.variants is not None:
        raise Misuse("--reports: are judged as they are; --queries and --variants are for reports made here")
    from drr.eval.evidence.imported import plan_import, read_reports

    specs = [unit.spec for unit in plan_import(None, read_reports(arguments.reports))[0]]
    asked_by = {
        system: set(asked)
        for system, asked in grouped((spec["variant"], spec["query_id"]) for spec in specs).items()
    }
    if len({frozenset(queries) for queries in asked_by.values()}) > 1:
        counts = ", ".join(f"{system} {len(queries)}" for system, queries in asked_by.items())
        every = len(set[str]().union(*asked_by.values()))
        raise Misuse(
            f"{arguments.reports}: the systems did not answer the same questions (of {every}: {counts}), so that"
            " no table compares them; give reports on the same questions"
        )

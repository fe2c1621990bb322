"""Public functions for Python programs: the commands of `drr`, typed, with async forms.

Each function returns a dataclass or an Arrow table. An error that would end a command is raised as `DrrError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from drr.wrappers import anywhere, awaitable

if TYPE_CHECKING:
    from drr.app.ask import CitedAnswer
    from drr.app.judge.check import Findings
    from drr.app.judge.run import Judgement
    from drr.app.report.study_report import StudyReport
    from drr.app.session import CallDocument, ToolSession
    from drr.app.study.terms import Options
    from drr.env.settings import Settings
    from drr.env.shop import Manifest, Shop
    from drr.study.status import StudyStatus

Asked = TypeVar("Asked", bound="Options")
Queries = str | Path | Iterable[Mapping[str, object]]


def open_shop(shop: str | Path, *, settings: Settings | None = None) -> Shop:
    """Open a shop to look into: a folder, or `servers:NAME`. Its `store` has records, its `manifest` says what it is.

    >>> with drr.open_shop("shop") as shop:
    ...     user = shop.store.sample_users(1, seed=1)[0]
    ...     shop.manifest.counts["users"] >= 1 and shop.store.user(user).user_id == user
    True
    """
    from drr.env.shop import open_shop as opened

    return opened(str(shop), _resolved_settings(settings))


@anywhere
def ingest(
    files: str | Path | Sequence[str | Path],
    shop: str | Path,
    *,
    map: str | Path | Mapping[str, object] | None = None,
    preset: str | None = None,
    max_bad: float = 0.01,
    keep_personal: bool = False,
    replace: bool = False,
    settings: Settings | None = None,
) -> Manifest:
    """Make a shop of a catalogue's files, with invented people; return its manifest. `map` is a TOML file, or its tables.

    >>> _ = open("catalogue.csv", "w").write("id,title,price\\n7,A pen,$2.50\\n")
    >>> drr.ingest("catalogue.csv", "mine", map={"products": {"brand": "id", "currency": "USD"}}).counts["products"]
    1
    """
    from drr.app.catalogue import catalogue_job, make_shop

    given = [files] if isinstance(files, str | Path) else [*files]
    job = catalogue_job(
        given, str(shop), map, preset, max_bad=max_bad, keep_personal=keep_personal, replace=replace
    )
    return make_shop(job, _resolved_settings(settings))


@anywhere
def call_tool(
    name: str,
    shop: str | Path,
    user: str | None,
    arguments: Mapping[str, object],
    *,
    open_access: bool = False,
    settings: Settings | None = None,
) -> CallDocument:
    """Call one tool once; return what `drr tools call NAME --json` prints. For more than one call, `session` is quicker.

    >>> answer = drr.call_tool("calculator", "shop", user, {"expression": "3 * 19.99"})
    >>> answer["ok"], answer["data"]["value"]
    (True, '59.97')
    """
    from drr.app.session import call_once

    reply = call_once(str(shop), user, name, arguments, _resolved_settings(settings), open_access=open_access)
    return reply.document()


@anywhere
def session(
    shop: str | Path | Shop, user: str | None, *, open_access: bool = False, settings: Settings | None = None
) -> ToolSession:
    """Open one shopper's session: tools work as for an agent, and later calls see what earlier ones wrote.

    `reset()` begins anew, leaving the `with` closes the shop. Many sessions may share a shop that is open already.

    >>> with drr.session("shop", user) as session:
    ...     found = session.call("product_catalog_search", query="bird feeder")
    ...     session.call("update_user_profile", first_name="Ida").ok
    ...     found.ok, len(session.sources) > len(found.sources)
    True
    (True, True)
    """
    from drr.app.session import ToolSession

    place = str(shop) if isinstance(shop, str | Path) else shop
    return ToolSession(place, user, _resolved_settings(settings), open_access=open_access)


@anywhere
def check(
    report: str | Path,
    *,
    shop: str | Path | None = None,
    user: str | None = None,
    query: str | None = None,
    budget: float | None = None,
    shop_urls: Sequence[str] = (),
    model: str | None = None,
    settings: Settings | None = None,
) -> Findings:
    """Check a report's citations and the rules; with a `model`, it reads the report too. The report is a text or a `Path`.

    >>> findings = drr.check("It costs $20 [1].\\n\\n[1] http://ecommerce.example/product/B000000000", shop="shop")
    >>> findings.failed, findings.rules["in_catalogue"].status
    (True, 'fail')
    """
    from drr.app.judge.check import CheckConfig, check, given_report

    config = CheckConfig(
        given_report(report),
        _resolved_settings(settings, model_judge=model),
        None if shop is None else str(shop),
        user,
        query,
        budget,
        tuple(shop_urls),
        judged=model is not None,
    )
    return check(config)


acheck = awaitable(check)


@anywhere
def ask(
    question: str,
    *,
    shop: str | Path,
    user: str,
    variant: str = "react",
    model: str | None = None,
    base_url: str | None = None,
    budget: float | None = None,
    budget_tokens: int | None = None,
    limits: Mapping[str, float] | None = None,
    citation_repair: Literal["off", "remove", "ask"] = "remove",
    trust_agent: bool = False,
    agent_sees: Sequence[str] = (),
    in_process: bool = False,
    settings: Settings | None = None,
) -> CitedAnswer:
    """Ask one question, get one cited report; `Unfinished`, with what was written, where the model fails on the way.

    >>> answer = drr.ask("a quiet nail grinder for a dog", shop="shop", user=user, model="offline")
    >>> answer.variant, answer.rule_written, answer.sources != ()
    ('react', True, True)
    """
    asked = dict(locals())
    from drr.app.ask import Unfinished, ask, check_variant
    from drr.app.study.outcome import say_paper
    from drr.app.study.study_plan import StudyPlan

    plan = _planned(StudyPlan, asked, variants=variant)
    check_variant(variant)
    chosen = _resolved_settings(settings, model=model, base_url=base_url)
    say_paper(chosen)
    answer = ask(question, user, plan, chosen)
    if answer.failure is not None:
        raise Unfinished(str(answer.failure), answer) from answer.failure
    return answer


aask = awaitable(ask)


@anywhere
def run(
    study: str | Path,
    *,
    shop: str | Path | None = None,
    queries: Queries | None = None,
    variants: str | Sequence[str] | None = None,
    model: str | None = None,
    models: Sequence[str] | None = None,
    base_url: str | None = None,
    trials: int | None = None,
    only: bool = False,
    retry_failed: bool = False,
    budget: float | None = None,
    budget_tokens: int | None = None,
    limit: int | None = None,
    limits: Mapping[str, float] | None = None,
    citation_repair: Literal["off", "remove", "ask"] | None = None,
    units: int = 8,
    pool: str | None = None,
    workers: int | None = None,
    tasks: str | Path | None = None,
    persons: str | Path | None = None,
    contexts: str | Path | None = None,
    person_settings: str | Sequence[str] | None = None,
    trust_agent: bool = False,
    agent_sees: Sequence[str] = (),
    in_process: bool = False,
    settings: Settings | None = None,
) -> StudyStatus:
    """Create or continue a study; return what it has then. One that exists needs neither queries nor options.

    `queries` is a JSONL file, or its lines as mappings; what is not given stays as the study has it.

    >>> status = drr.run("study", shop="shop", queries=[{"query": "a bird feeder", "user_id": user}], variants="react")
    >>> status.units.done, status.units.failed
    (1, 0)
    """
    asked = dict(locals())
    from drr.app.study.outcome import conclude
    from drr.app.study.run import run
    from drr.app.study.study_plan import StudyPlan

    with _as_file(queries) as file:
        plan = _planned(StudyPlan, asked, queries=file, settings=person_settings, quiet=True)
        ran = run(plan)
    conclude(ran.summary, plan.folder)
    return ran.status


arun = awaitable(run)


@anywhere
def judge(
    study: str | Path,
    *,
    what: str | Sequence[str] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    shop: str | Path | None = None,
    variants: str | Sequence[str] | None = None,
    repeat: int = 1,
    refetch: bool = False,
    unknown: bool = False,
    retry_failed: bool = False,
    budget: float | None = None,
    budget_tokens: int | None = None,
    limit: int | None = None,
    units: int = 8,
    pool: str | None = None,
    workers: int | None = None,
    batch: int = 10,
    renew: bool = False,
    points: str | Path | None = None,
    reference: str | None = None,
    of_papers: Mapping[str, object] | None = None,
    settings: Settings | None = None,
) -> Judgement:
    """Judge what is not judged yet, by `model`; return what was done and every figure.

    `of_papers` is what the tasks of papers go by, by the names of their options: `{"rounds": 1}`.

    >>> judgement = drr.judge("study", what=["rules", "faithfulness"])
    >>> judgement.left, "fp" in judgement.metrics["react"]
    (0, True)
    """
    asked = {**locals(), "model": None, "model_judge": model}
    from drr.app.judge.judge_plan import JudgePlan, paper_options
    from drr.app.judge.run import conclude_judging, judge

    plan = _planned(JudgePlan, asked, of_papers=paper_options(of_papers or {}), quiet=True)
    judgement = judge(plan)
    conclude_judging(judgement, plan.study)
    return judgement


ajudge = awaitable(judge)


@anywhere
def report(
    study: str | Path,
    *,
    out: str | Path | None = None,
    judge: str | None = None,
    complete_only: bool = False,
    labels: Sequence[str | Path] = (),
    human: Sequence[str | Path] = (),
    verdicts: str | Path | None = None,
    viewer: str | None = None,
    paper: str | None = None,
    figures: Sequence[str] = ("svg",),
) -> StudyReport:
    """Report a judged study; with `out` write its folder of pages, tables and figures, and say which page comes first.

    >>> report = drr.report("study", out="report")
    >>> report.page.is_file(), "fp" in report.metrics["react"]
    (True, True)
    """
    asked = {**locals(), "settings": None}
    from drr.app.report.report_plan import ReportPlan
    from drr.app.report.study_report import report

    return report(Path(study), _planned(ReportPlan, asked))


def _planned(kind: type[Asked], asked: Mapping[str, object], **more: object) -> Asked:
    """Return the plan that a function's arguments ask for, which have the names of its fields and settings."""
    from drr.app.study.trust import named_settings

    named = {name: asked.get(name) for name in ("model", "models", "model_judge", "base_url")}
    chosen = named_settings(cast("Settings | None", asked["settings"]), **named)
    own = {**asked, "settings": None, "named_settings": chosen, **more}
    return kind(**{name: own[name] for name in kind.model_fields if own.get(name) is not None})


def _resolved_settings(settings: Settings | None, **named: object) -> Settings:
    from drr.app.study.trust import named_settings, vouched_settings

    return vouched_settings(named_settings(settings, **named), ()).settings


@contextmanager
def _as_file(queries: Queries | None) -> Iterator[Path | None]:
    """Yield a file with the queries, or `None`. Mappings go into a temporary file, so that its reader names a wrong query by its line."""
    if queries is None or isinstance(queries, str | Path):
        yield None if queries is None else Path(queries)
        return
    import json
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder, "queries.jsonl")
        file.write_text("".join(json.dumps(dict(line)) + "\n" for line in queries), encoding="utf-8")
        yield file

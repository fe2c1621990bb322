"""The common part of commands that run units: budgets from options, the final messages of a run, its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from drr.app.calls import run_to_end
from drr.app.console import add_setting_options, progress_of
from drr.app.models.setup import SETTINGS, model_error, plain_settings
from drr.app.notices import notice
from drr.app.study.terms import UnitTerms, add_options
from drr.app.terminal import plain
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.settings import Settings
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.study.blobs import LostText
from drr.study.config import QUERIES, StudyConfig
from drr.study.form import naming_errors, of
from drr.study.unit import Unit
from drr.wording.excerpt import excerpt

if TYPE_CHECKING:
    from drr.app.study.answers import AnswerWork
    from drr.llm.budget import Limit
    from drr.llm.factory import Models
    from drr.study.pools import Pool
    from drr.study.run import Summary
    from drr.study.study import Study
    from drr.study.worker import Work


Done = TypeVar("Done")


def program_version() -> str:
    """Return the name and version of this program, as studies and bundles record them."""
    from importlib.metadata import version

    return f"deepresearch-retail {version('deepresearch-retail')}"


@cache
def code_id() -> str:
    """Return a hash of this program's code and prompts, which tells builds of one version apart."""
    found, place = sha256(), Path(__file__).parents[2]
    for path in sorted(one for kind in ("*.py", "*.md") for one in place.rglob(kind)):
        found.update(f"{path.relative_to(place)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def config_of(run: JsonObject, settings: Settings) -> StudyConfig:
    """Return the configuration of a study with the request `run`."""
    return {
        "schema": 1,
        "made_by": program_version(),
        "run": run,
        "settings": plain_settings(settings),
    }


def keep_questions(study: Study, fresh: Sequence[Query]) -> None:
    """Append the questions that the study did not have yet to its own file."""
    if not fresh:
        return
    path = study.folder / QUERIES
    before = read_file(path).decode() if path.is_file() else ""
    lines = "".join(query.model_dump_json(exclude_none=True) + "\n" for query in fresh)
    study.write(QUERIES, before + lines)


def add_unit_options(parser: argparse.ArgumentParser, *settings: str) -> None:
    """Add the options of a command whose units call models: limits, settings of models, and the named settings."""
    add_options(parser, UnitTerms)
    add_setting_options(parser, *SETTINGS, *settings)


def budget_of(arguments: argparse.Namespace | UnitTerms, study: Study | None = None) -> Limit:
    """Return the budget given now; a part not given now keeps the value that the study was last given."""
    from drr.llm.budget import Limit

    given = Limit.of(usd=arguments.budget, tokens=arguments.budget_tokens)
    budget_kept = {} if study is None else study.ledger.meta_table("budget")
    with naming_errors("the budget"):
        before = Limit(*(of(budget_kept.get(name), int, type(None)) for name in ("cost", "tokens")))
    return Limit(
        before.cost if given.cost is None else given.cost,
        before.tokens if given.tokens is None else given.tokens,
    )


def unit_cap_of(arguments: argparse.Namespace | UnitTerms) -> Limit | None:
    from drr.llm.budget import Limit

    usd = arguments.max_cost_per_unit
    return None if usd is None else Limit.of(usd=usd)


def check_models(models: Models, roles: Iterable[str], *budgets: Limit | None) -> None:
    """Raise `Misuse` for calls that would fail at once, and for dollar limits on models without a known price."""
    roles = list(roles)
    try:
        models.check(roles)
    except ModelSetupError as error:
        raise Misuse(str(error)) from error
    unpriced = models.unpriced(roles)
    # A limit of tokens bounds the run all the same, so a price is not needed beside one.
    if unpriced and any(b is not None and b.cost is not None and b.tokens is None for b in budgets):
        raise Misuse(
            f"the price of {', '.join(unpriced)} is not known, so dollars cannot be counted; "
            "give --budget-tokens, or its price in a file with --price-file"
        )


def check_run(
    arguments: argparse.Namespace | UnitTerms,
    models: Models,
    roles: Iterable[str],
    study: Study | None = None,
) -> None:
    """Raise `Misuse` for calls that would fail at once, and for limits that cannot be counted."""
    check_models(models, roles, budget_of(arguments, study), unit_cap_of(arguments))


def check_cast(answering: AnswerWork, *budgets: Limit | None) -> None:
    """Check the models of each variant as `check_models` does."""
    for variant in answering.variants.values():
        check_models(answering.models_of(variant), variant.roles, *budgets)


async def units_run(
    arguments: argparse.Namespace | UnitTerms,
    study: Study,
    units: Sequence[Unit],
    work: Work | Pool,
    models: Models,
    label: str,
) -> Summary:
    """Compute the missing units under these limits; return the summary."""
    from drr.study.run import Pace, run

    return await run(
        study,
        units,
        work,
        models=models,
        budget=budget_of(arguments, study),
        unit_cap=unit_cap_of(arguments),
        pace=Pace(units=arguments.units),
        progress=progress_of(arguments),
        retry_failed=arguments.retry_failed,
        limit=arguments.limit,
        label=label,
    )


def run_units(
    arguments: argparse.Namespace | UnitTerms,
    study: Study,
    units: Sequence[Unit],
    work: Work | Pool,
    models: Models,
    label: str,
) -> Summary:
    """Compute the missing units to the end, and close the models' connections; return the summary."""

    async def go() -> Summary:
        try:
            return await units_run(arguments, study, units, work, models, label)
        finally:
            await models.aclose()

    return run_to_end(go())


def say_paper(settings: Settings) -> None:
    """Print a notice under `--profile paper` about what differs from the paper."""
    if settings.profile == "paper":
        notice(
            f"profile paper: the paper's models cannot be called any more, the agents run {settings.model_for('agent')};"
            " docs/papers.md says which other choices are guesses"
        )


def without_lost_answers(study: Study, action: Callable[[], Done]) -> Done:
    """Run `action` without the answers that lost texts, and name those answers on standard error; return its result.

    Their texts are checked beforehand, so that all commands leave out the same answers; a lost text of another unit is known once it was read.
    """
    study.look_for_losses()
    try:
        done = action()
    except LostText:
        done = action()
    say_losses(study)
    return done


def say_losses(study: Study) -> None:
    for imported, mend in (
        (False, f"`drr run {study.folder} --retry-failed` computes them again"),
        (True, f"`drr study import {study.folder} FILE` takes them in again"),
    ):
        lost = [loss for loss in study.losses.values() if loss.imported is imported]
        if lost:
            some = ", ".join(f"{loss.label} ({loss.names[0].partition(':')[0]})" for loss in lost[:3])
            more = f" and {len(lost) - 3:,} more" if len(lost) > 3 else ""
            text = f"{study.folder}: {len(lost):,} answers lack texts and are left out: {some}{more}; {mend}"
            notice(_cause(text))


def conclude(summary: Summary, folder: Path, what: str = "run", command: str | None = None) -> int:
    """Print how a run ended on standard error; return the exit code, 0 if nothing failed and nothing stopped it.

    `command` is the command that continues the run, where it is not `drr WHAT FOLDER`.
    """
    again = f"`drr {command or f'{what} {folder}'}`"
    notice(f"{folder}: {_counts_text(summary, what)}", news=False)
    for why in summary.refused:
        notice(f"a worker was refused: {_cause(why)}")
    for bug, key in list(summary.bugs.items())[:3]:
        where = f"`drr study trace {folder} {key[:12]} --full` shows all of it"
        notice(f"a unit ended with a bug: {_cause(bug)}; {where}")
    for kind, cause in summary.causes.items():
        if kind != "bug":
            notice(f"{kind}: {_cause(cause)}{_advice(kind, folder, what)}")
    if summary.stopped == "budget":
        more = f"{again} {_more_of(summary.budget)} continues"
        notice(f"stopped: {summary.message}; {more}")
        return 1
    # Ctrl-C during the last unit of a run leaves nothing to continue; a judging run may plan more.
    if summary.stopped == "interrupted" and (summary.left or what != "run"):
        notice(f"interrupted; nothing that finished is lost, {again} continues")
        return 130
    if summary.stopped == "outage":
        raise DrrError(f"{summary.message}; units keep failing so, {again} continues when it is over")
    if summary.stopped == "no_room":
        raise DrrError(summary.message or "the disk is full")
    if summary.stopped not in (None, "limit", "interrupted"):
        raise model_error(ModelFailure(summary.stopped, summary.message or ""))  # type: ignore[arg-type]
    return 1 if summary.failures else 0


def _advice(kind: str, folder: Path, what: str) -> str:
    """Return the command that answers truncated units again with a higher limit; empty for other failures."""
    if kind != "truncated" or what != "run":
        return ""
    return f"; `drr run {folder} --retry-failed --model-max-tokens MORE` computes only what failed"


def _cause(message: str) -> str:
    """Return a cause on one line, without anything that a terminal would obey: providers and plug-ins wrote it."""
    return excerpt(" ".join(plain(message).split()), 300) or "no cause was told"


def _more_of(budget: Limit) -> str:
    limits = {"--budget MORE": budget.cost, "--budget-tokens MORE": budget.tokens}
    return " or ".join(option for option, limit in limits.items() if limit is not None) or "--budget MORE"


def _counts_text(summary: Summary, what: str) -> str:
    parts = [f"{summary.done:,} done now"]
    if summary.failures:
        parts.append(f"{summary.failures.total():,} failed ({_by_kind(summary.failures)})")
    if summary.failed_before:
        parts.append(
            f"{summary.failed_before.total():,} failed before ({_by_kind(summary.failed_before)}; --retry-failed computes them again)"
        )
    if summary.left:
        parts.append(f"{summary.left:,} left")
    elif what == "run" or summary.stopped != "interrupted":  # a judging run may plan more units later
        parts.append("nothing left")
    return "; ".join(parts)


def _by_kind(failures: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(failures.items()))

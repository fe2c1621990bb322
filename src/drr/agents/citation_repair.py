"""Repairs the citations of a finished report by deleting wrong ones or asking the model to mend them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drr.agents.base import CitationRepair
from drr.agents.brief import CitationRepairRequest
from drr.agents.evidence import actor_rank
from drr.agents.run_state import AgentRun
from drr.agents.turns import write
from drr.citations.addresses import canonical_url
from drr.citations.ids import IdLookup
from drr.citations.parse import Citations, parse
from drr.citations.repair import dangling_ids, remove, unknown_urls, with_addresses
from drr.env.progress import read_in_time
from drr.llm.failures import ModelFailure
from drr.llm.prompts import fence
from langchain_core.messages import HumanMessage


async def read_in_run(run: AgentRun, report: str) -> Citations:
    """Read a report's citations as judges do. An entry that gives only a product's id is read as the address of the shop's page."""
    return await read_in_time(report, lambda: parse(report, *_shop_pages(run)))


def _shop_pages(run: AgentRun) -> tuple[str, IdLookup | None]:
    """Return the base address of the shop's product pages, and the function that knows product ids; empty without a shop."""
    shop = run.tools.shop
    return ("", None) if shop is None else (shop.shop_url, shop.known_ids)


class RepairedReport(NamedTuple):
    report: str
    removed: list[str]
    """The wrong citations of the raw report that the repaired one no longer has."""
    made_up: Sequence[str] = ()
    """Addresses that the model invented when it was asked to mend the report."""


async def repair_citations(
    run: AgentRun, raw: str, cited: Citations, made_up: list[str], setting: CitationRepair
) -> RepairedReport:
    """Return the report after the repair that the setting asks for. A mended report is self-contained: full addresses replace shortened ones."""
    wrong = _wrong_citations(cited, made_up)
    if setting == "off":
        return RepairedReport(raw, [])
    addressed = _with_named_pages_linked(run, raw)
    if addressed != raw:
        cited = await read_in_run(run, addressed)
        wrong = _wrong_citations(cited, made_up)
    if not wrong:
        return RepairedReport(addressed, [])
    if setting == "remove":
        return RepairedReport(remove(addressed, made_up, *_shop_pages(run)), wrong)
    mended = await _corrected_by_model(run, addressed, wrong)
    if mended is None:
        return RepairedReport(addressed, [])
    report = _with_named_pages_linked(run, mended)
    after = await read_in_run(run, report)
    if still := unknown_urls(after, run.ledger.knows):
        run.notes.append(
            f"citations: {len(still)} made-up addresses stood in the mended report too; taken out"
        )
        report = remove(report, still, *_shop_pages(run))
        after = await read_in_run(run, report)
    left = {source.url for source in after.sources} | {f"[{name}]" for name in dangling_ids(after)}
    return RepairedReport(report, [one for one in wrong if canonical_url(one) not in left], still)


def _wrong_citations(cited: Citations, made_up: list[str]) -> list[str]:
    return [*made_up, *(f"[{name}]" for name in dangling_ids(cited))]


def _with_named_pages_linked(run: AgentRun, report: str) -> str:
    return with_addresses(report, run.ledger.knows, *_shop_pages(run))


async def _corrected_by_model(run: AgentRun, raw: str, wrong: list[str]) -> str | None:
    """Return the report as the model corrected it; `None` where the model failed, which is noted in the run."""
    try:
        return await _ask(run, raw, wrong)
    except ModelFailure as failure:
        if failure.transient or failure.fatal or failure.kind == "over_budget":
            raise
        run.notes.append(f"citations not repaired: {failure.kind}")
        return None


async def _ask(run: AgentRun, raw: str, wrong: list[str]) -> str:
    known = "\n".join(
        f"{source.title or 'untitled'}: {source.url}" for source in run.ledger.sources(actor_rank)
    )
    request = (
        f"# Report\n{fence(raw, 'report')}\n\n# Wrong\n"
        + "\n".join(wrong)
        + f"\n\n# Evidence\n{fence(known, 'list')}\n"
    )
    return await write(
        run, "citations", [run.bare("citation_fix"), HumanMessage(request)], brief=CitationRepairRequest(raw)
    )

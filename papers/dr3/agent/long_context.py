"""All frozen pages in an agent's window, in place of searching them. Its instructions, what it may cite, and whether they fit."""

from __future__ import annotations

from collections.abc import Sequence

from drr.agents.brief import Piece
from drr.agents.running import MAIN, AgentRun
from drr.env.source import Source
from drr.env.web.base import InWhole, Page
from drr.llm.failures import ModelFailure, ModelSetupError
from drr.llm.prompts import fence
from drr.llm.window import input_tokens

CHARS_PER_TOKEN = 4
"""As the sizes of corpora are counted; a model's own tokens may be more."""


def pages_in_window(run: AgentRun) -> list[Page]:
    """Nothing where the study does not ask for it. `ModelFailure` before any call where they cannot fit the model."""
    if not run.settings.get("long_context"):
        return []
    web = run.tools.web
    if not isinstance(web, InWhole):
        raise ModelFailure(
            "context_overflow", "this web is searched and cannot be given whole; leave long-context out"
        )
    pages = web.whole()
    _check_window(run, sum(len(page.markdown or "") for page in pages))
    run.ledger.add(MAIN, map(source_of, pages))
    return pages


def _check_window(run: AgentRun, chars: int) -> None:
    tokens = chars // CHARS_PER_TOKEN
    try:
        most = input_tokens(run.agent.name)
    except ModelSetupError:  # of somebody else, whose window nobody here knows
        most = None
    if most is not None and tokens > most:
        raise ModelFailure(
            "context_overflow",
            f"the frozen pages are some {tokens:,} tokens (characters/{CHARS_PER_TOKEN}) and {run.agent.name} reads {most:,};"
            " take a smaller size, or a model with a larger window",
        )


def source_of(page: Page) -> Source:
    return Source(url=page.final_url, type="web", title=page.title or "", seen=page.markdown or "")


def instructions_on(run: AgentRun, pages: Sequence[Page]) -> str:
    """The question, and behind it the pages."""
    if not pages:
        return run.asked
    text = "\n\n".join(f"Address: {page.final_url}\n{page.markdown}" for page in pages)
    return f"{run.asked}\n\n{run.prompts.fill('dr3_pages', pages=fence(text, 'pages'))}"


def pieces(pages: Sequence[Page]) -> list[Piece]:
    """List the pieces for a fresh conversation, beside what was condensed."""
    return [Piece(f"{page.title} ({page.final_url})", page.markdown or "", "page") for page in pages]

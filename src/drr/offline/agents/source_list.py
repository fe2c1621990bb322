"""The list that takes the place of a report where no language model writes one."""

from __future__ import annotations

from collections.abc import Mapping

from drr.agents.brief import AskedForm
from drr.offline.agents.found import Found, plain

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."
UNREAD = "No language model read the question. The rows are what searches for its words returned: nothing is picked, added up or advised."
ENGLISH = "It can write only English."
_FORMS = {True: '{"picks": [], "figures": [], "refusals": []}', "points": '{"points": []}'}
"""Empty forms: nothing is claimed, because nothing was understood."""


class Cites:
    """Citation numbers of addresses, in the order of first use."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}

    def __call__(self, url: str, title: str) -> str:
        self._titles.setdefault(url, plain(title, 120))
        return f"[{list(self._titles).index(url) + 1}]"

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self._titles.items(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) or "None.")


def list_rows(question: str, found: Found, cites: Cites) -> Mapping[str, list[str]]:
    """Return the rows of the list by heading."""
    products = [
        f"**{one.title}**: {one.details} {cites(one.url, one.title)}." for one in found.products.values()
    ]
    orders = [
        f"{one.date}: {one.title}, {one.details} {cites(one.url, f'Your order of {one.date}')}."
        for one in found.orders_on(question)
    ]
    files, pages = (
        [f"{line} {cites(part.url, part.name)}" for part, line in found.lines_on(question, pages=pages)]
        for pages in (False, True)
    )
    return {
        "Products that were found": products,
        "Orders that share a word with the question": orders,
        "What your files say": files,
        "What pages say": pages,
    }


def _opening(language: str | None) -> list[str]:
    """Return the first sentences; in a shop of another language, one says that they stay English."""
    other = language is not None and language.partition("-")[0] != "en"
    return [f"{BANNER} {ENGLISH}" if other else BANNER, UNREAD]


def report(question: str, found: Found, *, form: AskedForm = False, language: str | None = None) -> str:
    """Return the list as a report; with `form`, a block for code follows it."""
    cites = Cites()
    parts = ["# What was found", *_opening(language)]
    for heading, lines in list_rows(question, found, cites).items():
        if lines:
            parts.append(f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines))
    if len(parts) == 3:
        parts.append("The searches found nothing that could be listed.")
    parts += [cites.listing(), *([f"```form\n{_FORMS[form]}\n```"] if form else [])]
    return "\n\n".join(parts) + "\n"

"""Numbers for the addresses of a report, in the order of first use, and the list at its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from drr.agents.forms import names
from drr.agents.forms.passages import NumberedPassage, Passages
from drr.agents.forms.plain import plain
from drr.citations.addresses import canonical_url
from drr.wording.stated import STATED, without

_TITLE = 110


@dataclass
class Numbering:
    passages: Passages
    _listed: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By canonical address: the address as a tool gave it, and its title."""

    def mark(self, url: str, title: str) -> str:
        key = canonical_url(url)
        self._listed.setdefault(key, (url, title))
        return f"[{list(self._listed).index(key) + 1}]"

    def of_passage(self, passage: NumberedPassage) -> str:
        product = self.passages.products.get(passage.product_id or "")
        if product is not None:
            return self.mark(product.url, names.title(product))
        return self.mark(passage.url, self._title(passage))

    def of_order(self, url: str) -> str:
        return self.mark(url, "Your order")

    def _title(self, passage: NumberedPassage) -> str:
        """A stranger's title states no figure here; a shopper's record is called by what it is."""
        if passage.type == "user":
            return "Your order" if "/orders" in passage.url else "Your record in this shop"
        files = self.passages.files
        text = plain(passage.title.replace("{", "(").replace("}", ")"), _TITLE, files)
        money = [one for one in STATED.figures(text) if one.kind in ("money", "rating")]
        return files.restored(" ".join(without(text, money, "").split())) or passage.type

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self._listed.values(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) if rows else "None.")

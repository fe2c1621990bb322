"""Numbers for the sources of a text of the rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from drr.offline.agents.memory import SeenOrder, SeenProduct
from drr.offline.agents.words import plain


@dataclass
class Cites:
    """Numbers for addresses, in the order of first use."""

    titles: dict[str, str] = field(default_factory=dict)

    def __call__(self, url: str, title: str) -> str:
        self.titles.setdefault(url, plain(title, 120))
        return f"[{list(self.titles).index(url) + 1}]"

    def product(self, product: SeenProduct) -> str:
        return self(product.url, product.title)

    def order(self, order: SeenOrder) -> str:
        return self(order.url, f"Your order of {order.date}")

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self.titles.items(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) if rows else "None.")

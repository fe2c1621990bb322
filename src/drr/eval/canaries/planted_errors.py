"""Claims with one page each, and whole answers, all either true or with one planted error.

No judge may call a false claim fully supported, or miss the error of a false answer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from drr.eval.canaries.reports import BATH, FEEDER, GRINDER, SEED
from drr.eval.labels import SupportLabel

_SET: dict[str, Any] = tomllib.loads(
    (files("drr.eval.canaries") / "planted.toml").read_text(encoding="utf-8")
)
_LINK = "http://ecommerce.example"
_PLACES = {"feeder": FEEDER, "seed": SEED, "bath": BATH, "grinder": GRINDER}
_ADDRESSES = {name: f"{_LINK}/{product}" for name, product in _PLACES.items()}
WEB: dict[str, str] = {page["url"]: page["text"] for page in _SET["pages"]}
"""Pages by address; test reports elsewhere cite the same pages."""
QUERY_ID = "q-facts"
QUESTION = "What of your garden things would suit me, with $60 to spend, and what do I have already?"


class PlantedClaim(NamedTuple):
    id: str
    kind: str
    """`stated` for a true claim, else the kind of the planted error."""
    url: str
    claim: str

    @property
    def is_true(self) -> bool:
        return self.kind == "stated"

    @property
    def label(self) -> SupportLabel:
        """Return the label that a judge should give: `full` for a true claim, `none` for a false one."""
        label: Literal["full", "none"] = "full" if self.is_true else "none"
        evidence = WEB[self.url]
        return SupportLabel(id=self.id, judge="planted", claim=self.claim, evidence=evidence, label=label)


def planted_claims() -> Iterator[PlantedClaim]:
    """Yield the planted claims. Every true claim is also paired with a page about something else."""
    pages = list(WEB)
    for place, page in enumerate(_SET["pages"]):
        for number, fact in enumerate(page["facts"], 1):
            name, other = f"{place + 1}.{number}", pages[(place + number) % len(pages)]
            yield PlantedClaim(name, "stated", page["url"], fact["stated"])
            yield PlantedClaim(f"{name} other page", "other page", other, fact["stated"])
            for kind, text in fact["wrong"].items():
                yield PlantedClaim(f"{name} {kind}", kind, page["url"], text)


class PlantedAnswer(NamedTuple):
    name: str
    kind: str | None
    """Kind of the planted error; `None` where the answer is true."""
    report: str


def planted_answers() -> Iterator[PlantedAnswer]:
    for number, answer in enumerate(_SET["answers"], 1):
        text = answer["text"].format(**_ADDRESSES)
        yield PlantedAnswer(f"{number}-true", None, text)
        for kind, replaced in answer["wrong"].items():
            old, new = (words.format(**_ADDRESSES) for words in replaced)
            yield PlantedAnswer(f"{number}-{kind.replace(' ', '-')}", kind, text.replace(old, new, 1))

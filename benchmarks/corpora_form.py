"""What a search by form alone finds of the pages of a task, as an attentive reader would filter them: by name, month, hearsay, unit and latest start.

Each step is a search that needs no understanding of what is asked; the last two are told the unit of each asked figure, which a reader takes from the
question. `right` are needed pages that are met, `wrong` all others. The cue words of hearsay are those that a reader of ten tasks wrote down, and those
of which the stock has more since.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter

from drr.filetasks.corpus.build import Corpora
from drr.filetasks.corpus.firms import SISTERS
from drr.filetasks.corpus.stock import stock
from drr.filetasks.form import CorpusPage
from drr.filetasks.values import FactValues, month_of

_MONTH = re.compile(r"\b(?:" + "|".join(stock().names["months"]) + r") (?:19|20)\d\d\b")
HEARSAY = re.compile(
    r"unconfirmed|not checked|unchecked|could not|not able|did not find|'s word\b|quote me on|one remark|single remark|no record|no paper"
    r"|no proof|no name|neither name|from memory|mixing this up|confusing this|not (?:measured|repeated|checked|available)|I never|no idea who"
    r"|heard, anyway|what people say|passed around|without a source|no source|box is long gone|said so and I believed|[Gg]uess|[Ee]stimated|insists on"
    r"|swears to|as it was (?:passed|written|told)|as it came|as somebody had told|never checked|otherwise|something else|another figure|so\.$",
    re.IGNORECASE,
)
_UNITS = ("points", "days", "months", "percent", "inches", "pounds", "ounces")
_CODE, _PRICE = re.compile(r"\b[A-Z]{2,4}-?\d{2,}"), re.compile(r"\$\d")
_OTHER_NAME = rf"(?! (?:{'|'.join(map(re.escape, SISTERS))})\b)(?! & )"


@dataclass(frozen=True)
class FormPassage:
    """A paragraph or a row of a table that names somebody of the case and has a figure."""

    page: CorpusPage
    month: date | None
    unit: str
    is_hearsay: bool
    is_row: bool


def unit_of(text: str) -> str:
    plain = _MONTH.sub("", text)
    if "lots" in plain:
        return "lots"
    named = next((unit for unit in _UNITS if re.search(rf"\d {unit}\b", plain)), None)
    found = re.search(r"\b\d+ ([a-z]{4,})", plain)
    return named or (
        "price" if _PRICE.search(plain) else "code" if _CODE.search(plain) else found[1] if found else ""
    )


def form_passages(pages: Sequence[CorpusPage], subjects: set[str]) -> Iterator[FormPassage]:
    named = re.compile("|".join(rf"{re.escape(one)}{_OTHER_NAME}" for one in sorted(subjects)))
    for page in pages:
        before = ""
        for said in re.split(r"\n\n|\n(?=\|)", page.text):
            row = said.startswith("|")
            if named.search(said) and re.search(r"\d", _MONTH.sub("", said)):
                months = [month_of(one) for one in _MONTH.findall(said)]
                hearsay = bool(HEARSAY.search(f"{before} {said}" if row else said))
                yield FormPassage(page, max(months, default=None), unit_of(said), hearsay, row)
            before = before if row else said


def _latest(found: list[FormPassage], bought: date | None) -> list[FormPassage]:
    """Of each unit those with the latest start that is not after the purchase."""
    groups = defaultdict[str, list[tuple[date, FormPassage]]](list)
    for one in found:
        if one.month is not None and (bought is None or one.month <= bought):
            groups[one.unit].append((one.month, one))
    return [
        one for group in groups.values() for month, one in group if month == max(group, key=itemgetter(0))[0]
    ]


def _newest(found: list[FormPassage]) -> list[FormPassage]:
    """Of each unit those of the newest page."""
    days: dict[str, str] = {}
    for one in found:
        days[one.unit] = max(days.get(one.unit, ""), one.page.date or "")
    return [one for one in found if one.page.date == days[one.unit]]


@dataclass
class FormSearch:
    """By step: needed pages that it meets, other pages, and needed ones that it misses."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def look(self, made: Corpora, pages: Sequence[CorpusPage]) -> None:
        """At the first pages of a task."""
        needed = {page.url for page in made.known if page.kind == "supportive"}
        asked = [fact for fact in made.facts if fact.source == "page"]
        subjects = {fact.subject for fact in asked}
        units = {"lots" if fact.attribute.startswith("lots") else unit_of(fact.value) for fact in asked}
        said = FactValues.of(made.facts, made.today)
        bought = said.day("purchase date") if said.has("purchase date") else None
        named = [*form_passages(pages, subjects)]
        dated = [one for one in named if one.month]
        first = [one for one in dated if not one.is_hearsay]
        unit = [one for one in first if one.unit in units]
        steps = {
            "the name": [page for page in pages if any(one in page.text for one in subjects)],
            "name, figure and month": dated,
            "and no hearsay": first,
            "and the latest start of each unit": _latest(first, bought),
            "no hearsay, asked units": unit,
            "and the newest page of each unit": _newest(unit),
            "and the latest start of each unit, asked units": _latest(unit, bought),
            "the same without looking for hearsay": _latest(
                [one for one in dated if one.unit in units], bought
            ),
            "the same, rows of tables alone": _latest([one for one in unit if one.is_row], bought),
        }
        for step, found in steps.items():
            met = {one.page.url if isinstance(one, FormPassage) else one.url for one in found}
            self.right[step] += len(met & needed)
            self.wrong[step] += len(met - needed)
            self.missed[step] += len(needed - met)

    def rows(self) -> list[list[str]]:
        found = []
        for step, right in self.right.items():
            wrong, missed = self.wrong[step], self.missed[step]
            shares = (right / max(1, right + wrong), right / max(1, right + missed))
            found.append([step, str(right), str(wrong), str(missed), *(f"{share:.2f}" for share in shares)])
        return found

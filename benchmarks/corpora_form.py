"""The finds of a search by form alone in the pages of a task. It filters as an attentive reader would: by
name, month, hearsay, unit and latest start.

Each step is a search that needs no understanding of what is asked; the last two are told the unit of each asked figure, which a reader takes from the
question. `right` are needed pages that are met, `wrong` all others. The cue words of hearsay are those that a reader of ten tasks wrote down, and those
of which the stock has more since.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from operator import itemgetter

from drr.papers.dr3.corpus.build import Corpora
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.planning.kinds import MODELS
from drr.papers.dr3.values import FactValues, month_of

_MONTH = re.compile(r"\b(?:" + "|".join(month_name[1:]) + r") (?:19|20)\d\d\b")
HEARSAY = re.compile(
    r"unconfirmed|not checked|unchecked|could not|not able|did not find|'s word\b|quote me on|one remark|single remark|no record|no paper"
    r"|no proof|no name|neither name|from memory|mixing this up|confusing this|not (?:measured|repeated|checked|available)|I never|no idea who"
    r"|heard, anyway|what people say|passed around|without a source|no source|box is long gone|said so and I believed|[Gg]uess|[Ee]stimated|insists on"
    r"|swears to|as it was (?:passed|written|told)|as it came|as somebody had told|never checked|otherwise|something else|another figure|so\.$"
    r"|not seen|haven't seen|not enclosed|without (?:the|a|looking|anybody)|not found|hold me to|I may be|never (?:checked|saw|found|believed)|until I find"
    r"|told (?:me|us) (?:this|otherwise|so)|(?:recalled|remembered|remembers)\b|in a comment|differently|unsigned|penciled|swears|(?:reader|caller|subscriber)'s figure"
    r"|[Tt]he talk (?:of|in)|estimate|confirmed|thinking of|[Nn]o idea where|at the fair|(?:letter|card|mail) said so|said so|I think\.|by a (?:member|reader|guest)",
    re.IGNORECASE,
)
_UNITS = ("points", "days", "months", "percent", "inches", "pounds", "ounces")
_CODE, _PRICE = re.compile(r"\b[A-Z]{2,4}-?\d{2,}"), re.compile(r"\$\d")
_BRAND = re.compile(r"(?:[A-Z][\w'.-]*|&|and|of)(?: (?:[A-Z][\w'.-]*|&|and(?= [A-Z])|of(?= [A-Z])))*")
"""Of a subject: the words in front that a maker's or a shop's name is made of."""
CHECKED = re.compile(
    r"went and looked|looked it up|went to look|back to the source|looked (?:again|once more|up again)|in writing|on paper|in print|shown to me"
    r"|paper (?:before us )?(?:has|says|here)|checked|papers? (?:here|agree)|(?:files?|records?|documents?|source) says?|so (?:I|we) (?:looked|checked)"
    r"|in front of me|right here|bears? (?:it )?out"
    r"|(?:is|was|are) from the|(?:Taken|Copied) from|found the|kept (?:it|the)|have it here|was (?:shown|looked up|asked for)|not from memory|measured by us|repeated"
    r"|[Aa]ccording to|have the|at hand|looked at|go by that|goes? by|says? (?:the same|so too|:)|agrees|by us|looked up|as the [a-z ]+ shows",
    re.IGNORECASE,
)
"""Words of who has looked something up, as readers wrote them down."""
_NEAR_BRAND, _NEAR_SISTER = 260, 45
"""Characters from a brand to a month that is of it, and to the name of another model."""
_OTHER_NAME = rf"(?! (?:{'|'.join(map(re.escape, MODELS))})\b)(?! & )"


@dataclass(frozen=True)
class FormPassage:
    """A paragraph or a row of a table that names somebody of the case and has a figure."""

    page: CorpusPage
    month: date | None
    unit: str
    is_hearsay: bool
    is_row: bool
    is_open: bool
    """Hearsay about which nobody looked anything up."""
    figures: frozenset[str]


_FIGURE = re.compile(r"\$?\b\d[\d,]*(?:\.\d+)?|\b[A-Z]{1,4}-?\d{2,}")


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
                whole = f"{before} {said}" if row else said
                hearsay = bool(HEARSAY.search(whole))
                yield FormPassage(
                    page,
                    max(months, default=None),
                    unit_of(said),
                    hearsay,
                    row,
                    hearsay and not CHECKED.search(whole),
                    frozenset(_FIGURE.findall(named.sub("", _MONTH.sub("", said)))),
                )
            before = before if row else said


def _latest(found: list[FormPassage], bought: date | None) -> list[FormPassage]:
    """List for each unit those with the latest start that is not after the purchase."""
    groups = defaultdict[str, list[tuple[date, FormPassage]]](list)
    for one in found:
        if one.month is not None and (bought is None or one.month <= bought):
            groups[one.unit].append((one.month, one))
    return [
        one for group in groups.values() for month, one in group if month == max(group, key=itemgetter(0))[0]
    ]


def _newest(found: list[FormPassage]) -> list[FormPassage]:
    """List for each unit those of the newest page."""
    days: dict[str, str] = {}
    for one in found:
        days[one.unit] = max(days.get(one.unit, ""), one.page.date or "")
    return [one for one in found if one.page.date == days[one.unit]]


@dataclass(frozen=True)
class BrandPage:
    """A page that names a brand or a shop of the question. A reader notes this of it without reading what it is about."""

    page: CorpusPage
    months: frozenset[date]
    """That stand not far behind the name."""
    figures: frozenset[str]
    """Of paragraphs and rows with the name."""
    sister: bool
    checked: bool
    hearsay: bool


def brands_of(subjects: set[str]) -> set[str]:
    return {found[0] if (found := _BRAND.match(one)) else one for one in subjects}


def brand_pages(pages: Sequence[CorpusPage], brands: set[str]) -> list[BrandPage]:
    named = re.compile("|".join(re.escape(one) for one in sorted(brands)))
    sister = re.compile(
        rf"(?:{named.pattern})[^.|\n]{{0,{_NEAR_SISTER}}}\b(?:{'|'.join(map(re.escape, MODELS))})\b"
    )
    found = []
    for page in pages:
        if not named.search(page.text):
            continue
        ends = [one.end() for one in named.finditer(page.text)]
        months = {
            month_of(one[0])
            for one in _MONTH.finditer(page.text)
            if any(0 <= one.start() - end <= _NEAR_BRAND for end in ends)
        }
        figures = {
            figure
            for said in re.split(r"\n\n|\n(?=\|)", page.text)
            if named.search(said)
            for figure in re.findall(r"\$\d[\d.]*|\b[A-Z]*-?\d[\d.]*(?: [a-z]{4,})?", _MONTH.sub("", said))
        }
        found.append(
            BrandPage(
                page,
                frozenset(months),
                frozenset(figures),
                bool(sister.search(page.text)),
                bool(CHECKED.search(page.text)),
                bool(HEARSAY.search(page.text)),
            )
        )
    return found


def brand_rules(found: list[BrandPage]) -> dict[str, list[BrandPage]]:
    """Rules that a reader of ten tasks tried, none of which needs the topic of the question."""
    often = Counter(month for one in found for month in one.months)
    figures = Counter(figure for one in found for figure in one.figures)
    again = [one for one in found if any(often[month] > 1 for month in one.months)]
    plain = [one for one in again if not one.sister]
    latest = max((month for month, times in often.items() if times > 1), default=None)
    return {
        "brand": found,
        "brand, words of who looked": [one for one in found if one.checked],
        "brand, month of several pages": again,
        "the same, no other model": plain,
        "the same, words of who looked": [one for one in plain if one.checked],
        "the same, no hearsay": [one for one in plain if one.checked and not one.hearsay],
        "no other model, no hearsay": [one for one in plain if not one.hearsay],
        "brand, newest month of several pages, no other model": [
            one for one in found if latest in one.months and not one.sister
        ],
        "brand, no other model": [one for one in found if not one.sister],
        "brand, a figure of this page alone": [
            one for one in found if any(figures[figure] == 1 for figure in one.figures)
        ],
        "brand, every figure of this page alone": [
            one for one in found if one.figures and all(figures[figure] == 1 for figure in one.figures)
        ],
    }


FORM_RULES = tuple(brand_rules([]))
"""Their names."""


def alone_rules(dated: list[FormPassage]) -> dict[str, list[FormPassage]]:
    """Apply the rules of a reader of ten tasks who saw how what was asked differed from all else. It stood
    once and was of the month that most pages named, and all else stood several times."""
    months = Counter(month for _, month in {(one.page.url, one.month) for one in dated})
    figures = Counter(
        figure for _, figure in {(one.page.url, figure) for one in dated for figure in one.figures}
    )
    most = max(months.values(), default=0)
    latest = max((month for month in months if month), default=None)
    alone = [one for one in dated if not one.is_open and any(figures[figure] == 1 for figure in one.figures)]
    return {
        "a figure that stands once": alone,
        "the same, the latest month or the most frequent": [
            one for one in alone if one.month == latest or months[one.month] == most
        ],
        "the same, the latest month or one of three pages": [
            one for one in alone if one.month == latest or months[one.month] > 2
        ],
        "the same, the most frequent month": [one for one in alone if months[one.month] == most],
        "the same, the latest month": [one for one in alone if one.month == latest],
    }


ALONE_RULES = tuple(alone_rules([]))
"""Their names."""


@dataclass
class FormSearch:
    """The needed pages that each step meets, other pages, and needed ones that it misses."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def look(self, made: Corpora, pages: Sequence[CorpusPage]) -> None:
        """Look at the first pages of a task."""
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
        rules = brand_rules(brand_pages(pages, brands_of(subjects)))
        for step, found in [*steps.items(), *rules.items(), *alone_rules(dated).items()]:
            met = {one.url if isinstance(one, CorpusPage) else one.page.url for one in found}
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

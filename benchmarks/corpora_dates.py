"""The finds of rules of dates alone in the pages of a task. The reader knows the names in the question and understands nothing else.

A statement is a paragraph or row with the exact name of the product, or the maker's or shop's, and a month in it. It is formal where the month stands beside a word like `version`
or `terms`, and else as people speak. Rules count statements by month over the pages of the task, look for hedges that nobody resolved, and for figures that
stand on one page alone. Each was found by a reader of ten tasks, or is a turn of one.
"""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from drr.papers.dr3.corpus.build import Corpora
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.planning.kinds import MODELS
from drr.papers.dr3.values import month_of

from benchmarks.corpora_form import brands_of

_MONTH = re.compile(r"\b(?:" + "|".join(month_name[1:]) + r") (?:19|20)\d\d\b")
_MODEL = rf"(?! (?:{'|'.join(map(re.escape, MODELS))})\b)"
_OTHERS = rf" (?:[a-z&-]+ ?){{1,5}}(?:{'|'.join(map(re.escape, MODELS))})\b"
_FORMAL = re.compile(
    r"version|terms|edition|price|sold since|purchases from|bought in|[Aa]s of|published in|came out in|[Mm]ade from|[Mm]ade since|make of|list of|list from|released|set in"
    r"|last set|put out|announced|updated|revised"
)
_BEFORE, _BEHIND = 70, 14
"""Characters around a month in which the word of a formal one stands."""
_STORY = re.compile(
    r"(?:with us|on our list|on our shelves|in our files|into the house|came to us|have had|has had|[Hh]ad the|has been|have been|joined the round|added to the round|the first|(?:was|were) (?:bought|ordered)"
    r"|paid for)[^.]{0,45}$|(?:We first (?:wrote|mentioned)|began with|[Ss]amples of|have carried|have sold|have stocked|carry the|have written|have told|We (?:got|bought) the|I (?:ordered|bought) the|in our range since|(?:listed|with us) since"
    r"|have asked|first notice|The one we had)[^.]{0,120}$"
)
"""Before a month of the story of a page, which dates no figure."""
OPEN = re.compile(
    r"unconfirmed|not been confirmed|could(?: not|n't) be confirmed|not (?:measured|repeated) by us|haven't repeated|nobody repeated|we have(?: not|n't) (?:checked|found|seen|measured|repeated)|as we have(?:n't| not)|never (?:checked|looked)"
    r"|(?:and|here|nobody here) (?:nobody here )?has checked it|no one here has checked|without [^.;]{3,40} at hand|gave no name|(?:nobody|no one) (?:there |asked )*had|came (?:without|unsigned)|no ?(?:one|body) repeated|in the (?:log|book) as a penciled"
    r"|don't hold me|hold me to|may be thinking of|thinking of (?:a friend|the old)|who knows|haven't (?:seen|looked)|from memory|told (?:me|us) so\b|said so\b|in a comment|I'm guessing|until I find\b|can't find|No idea where|So says (?:my|the (?:guy|lady|neighbor))|take (?:that|it) (?:as|for)"
    r"|remembers it|(?:recalled|remembered)(?: it)?\b|was not shown|as far as i can see|or so it says|figure; .{3,40} has another|says? (?:something else|otherwise)|it is something else|has another figure|is another figure|estimate from|a guess from|So it was (?:said|reported)"
    r"|heard it said|is said to be|by hearsay|the word is|people say",
    re.IGNORECASE,
)
"""Words of somebody who does not know."""
RESOLVED = re.compile(
    r"(?:but|so|and|since) (?:I|we|two of us)(?:'ve| have)? ?(?:just )?(?:checked|looked|found|kept|go by|went)|so (?:I|we) |(?:have|with|had|here|is) [^.]{0,40}at hand\b|in front of me|I kept|\b(?:we|I) (?:have )?(?:found|checked|looked)\b(?<!not found)|no guess|until I (?:found|dug)"
    r"|what follows is from|(?<!not )(?<!not repeated or )measured by us|(?<!not )repeated by us|we go by|then (?:measured|repeated)|was (?:looked up|asked for|shown)(?<!not shown)|were shown|which says this|(?<!This is )(?<!That's )(?:isn't|not) from memory|not from a comment|This is from (?:the|our|a) (?!book as)|this is with|that is from|that's from (?!memory)|So says the (?!guy|lady|neighbor)"
    r"|have it here|have [\w' ]{3,30} (?:here|in front)|this I know|guess(?:ing)? (?:once|now)|no guessing|have to guess|was off;|had been off|went and found|we (?:took|used)|we had (?!not)|two of us repeated|confirmed it|until somebody had|whatever ",
    re.IGNORECASE,
)
"""Words of somebody who then looked."""
_VALUE = re.compile(r"\$?\b\d+(?:\.\d+)?|\b[A-Z]{1,4}-?\d{2,}")


def is_open_hedge(text: str) -> bool:
    """Tell whether the text hedges: somebody spoke who did not know, and nobody looked."""
    return bool(OPEN.search(text)) and not RESOLVED.search(text)


@dataclass(frozen=True)
class DatedStatement:
    month: date
    is_formal: bool
    is_open: bool
    """Hedged, and nobody looked anything up."""
    is_checked: bool
    figures: frozenset[str]


@dataclass(frozen=True)
class NamedPage:
    page: CorpusPage
    said: tuple[DatedStatement, ...]
    has_model: bool
    """It speaks of another model of the name."""


@dataclass(frozen=True)
class TaskDates:
    """The notes of a reader on a task. `formal`: of formal months alone."""

    pages: tuple[NamedPage, ...]
    formal: bool = False

    def of(self, page: NamedPage) -> list[DatedStatement]:
        return [one for one in page.said if one.is_formal or not self.formal]

    @cached_property
    def often(self) -> Counter[date]:
        return Counter(month for page in self.pages for month in {one.month for one in self.of(page)})

    @cached_property
    def order(self) -> list[date]:
        return sorted(self.often)

    @cached_property
    def mode(self) -> date | None:
        return max(self.often, key=lambda month: (self.often[month], month), default=None)

    @cached_property
    def latest(self) -> date | None:
        return max(self.often, default=None)

    @cached_property
    def alone(self) -> frozenset[str]:
        """Figures that stand on one page."""
        seen = Counter(
            figure
            for page in self.pages
            for figure in {figure for one in self.of(page) for figure in one.figures}
        )
        return frozenset(figure for figure, times in seen.items() if times == 1)

    def is_plain(self, one: DatedStatement) -> bool:
        return bool(one.figures) and not one.is_open

    def is_once(self, one: DatedStatement) -> bool:
        return self.is_plain(one) and one.figures <= self.alone

    def picked(self, rule: Callable[[TaskDates, DatedStatement], bool]) -> list[NamedPage]:
        return [page for page in self.pages if any(rule(self, one) for one in self.of(page))]


Rule = Callable[[TaskDates, DatedStatement], bool]
STATEMENT_RULES: dict[str, Rule] = {
    "a dated statement": lambda task, one: True,
    "most frequent month, figure, no open hedge": lambda task, one: one.month == task.mode and task.is_plain(one),
    "the same, month of two pages": lambda task, one: task.often[one.month] > 1 and task.is_plain(one),
    "the same, month of three pages": lambda task, one: task.often[one.month] > 2 and task.is_plain(one),
    "latest month, figure, no open hedge": lambda task, one: one.month == task.latest and task.is_plain(one),
    "the same, one of the two latest": lambda task, one: one.month in task.order[-2:] and task.is_plain(one),
    "the same, one of the two most frequent": lambda task, one: (
        one.month in [month for month, _ in task.often.most_common(2)] and task.is_plain(one)
    ),
    "figure of one page, most frequent or latest month (V6)": lambda task, one: (
        one.month in (task.mode, task.latest) and task.is_once(one)
    ),
    "figure of one page, month of three pages or latest (V8)": lambda task, one: (
        (task.often[one.month] > 2 or one.month == task.latest) and task.is_once(one)
    ),
    "figure of one page, month of two pages": lambda task, one: task.often[one.month] > 1 and task.is_once(one),
    "month of one page, figure": lambda task, one: task.often[one.month] == 1 and bool(one.figures),
    "not the latest month, month of two pages, figure, no open hedge": lambda task, one: (
        one.month != task.latest and task.often[one.month] > 1 and task.is_plain(one)
    ),
    "the second latest month, figure, no open hedge": lambda task, one: (
        one.month in task.order[-2:-1] and task.is_plain(one)
    ),
    "the earliest month of two pages, figure, no open hedge": lambda task, one: (
        one.month == next((month for month in task.order if task.often[month] > 1), None) and task.is_plain(one)
    ),
    "latest month of two pages, figure, no open hedge": lambda task, one: (
        one.month == next((month for month in reversed(task.order) if task.often[month] > 1), None)
        and task.is_plain(one)
    ),
    "an open hedge": lambda task, one: one.is_open and bool(one.figures),
    "words of who looked": lambda task, one: one.is_checked and not one.is_open and bool(one.figures),
    "no word of doubt or of who looked": lambda task, one: task.is_plain(one) and not one.is_checked,
}  # fmt: skip


def _page_rules(task: TaskDates) -> dict[str, list[NamedPage]]:
    """Apply the rules on how much a page says."""
    several = [page for page in task.pages if len(task.of(page)) > 1]
    return {
        "two dated statements": several,
        "two dated statements, one without open hedge, of a month of three pages": [
            page
            for page in several
            if any(task.is_plain(one) and task.often[one.month] > 2 for one in task.of(page))
        ],
        "one dated statement": [page for page in task.pages if len(task.of(page)) == 1],
        "no other model, month of two pages, figure, no open hedge": [
            page
            for page in task.pages
            if not page.has_model
            and any(task.is_plain(one) and task.often[one.month] > 1 for one in task.of(page))
        ],
        "two dated statements of one month": [
            page for page in task.pages if max(Counter(one.month for one in task.of(page)).values(), default=0) > 1
        ],
    }  # fmt: skip


def date_rules(pages: Sequence[NamedPage]) -> dict[str, list[NamedPage]]:
    """The pages that each rule picks."""
    found: dict[str, list[NamedPage]] = {"the name": [*pages]}
    for formal in (False, True):
        task = TaskDates(tuple(pages), formal)
        how = "formal: " if formal else "any: "
        found |= {how + name: task.picked(rule) for name, rule in STATEMENT_RULES.items()}
        found |= {how + name: some for name, some in _page_rules(task).items()}
    whole = TaskDates(tuple(pages))
    found["a month as people speak, figure, no open hedge"] = whole.picked(
        lambda task, one: not one.is_formal and task.is_plain(one)
    )
    return found


DATE_RULES = tuple(date_rules([]))
"""Their names; the first is all pages that name somebody of the question."""


def named_pages(pages: Sequence[CorpusPage], subjects: set[str]) -> list[NamedPage]:
    brands = sorted(brands_of(subjects))
    exact = re.compile("|".join(rf"{re.escape(one)}{_MODEL}" for one in sorted(subjects)))
    maker = re.compile("|".join(rf"\b{re.escape(one)}\b(?! [a-z])" for one in brands))
    any_of = re.compile("|".join(rf"\b{re.escape(one)}\b" for one in brands))
    model = re.compile("|".join(rf"{re.escape(one)}{_OTHERS}" for one in brands))
    plain = [one for one in subjects if one not in brands]
    own = {one.rpartition(" ")[2] for one in plain} & set(MODELS)
    found = []
    for page in pages:
        if not any_of.search(page.text):
            continue
        said: list[DatedStatement] = []
        lead = ""
        for part in filter(None, (line.strip() for line in page.text.split("\n"))):
            row = part.startswith("|")
            if not row:
                lead = part
            if exact.search(part) or maker.search(part) or (any_of.search(part) and not model.search(part)):
                whole = f"{lead} {part}" if row else part
                said += _statements(part, whole, exact)
        others = [one[0] for one in model.finditer(page.text)]
        found.append(NamedPage(page, tuple(said), any(one.rpartition(" ")[2] not in own for one in others)))
    return found


def _statements(part: str, whole: str, exact: re.Pattern[str]) -> list[DatedStatement]:
    is_open = is_open_hedge(whole)
    bare = exact.sub("", _MONTH.sub("", re.sub(r"\b(?:out )?of 100\b", "", part)))
    return [
        DatedStatement(
            month_of(one[0]),
            bool(_FORMAL.search(part, max(0, one.start() - _BEFORE), one.end() + _BEHIND)),
            is_open,
            bool(RESOLVED.search(whole)),
            frozenset(_VALUE.findall(bare)),
        )
        for one in _MONTH.finditer(part)
        if not _STORY.search(part[: one.start()])
    ]


@dataclass
class DateSearch:
    """The needed pages, pages that lead astray and others that each rule picks."""

    picked: Counter[tuple[str, str]] = field(default_factory=Counter)
    needed: int = 0

    def look(self, made: Corpora, pages: Sequence[CorpusPage]) -> None:
        """Look at the first pages of a task."""
        kinds = {page.url: page.kind for page in made.known}
        self.needed += sum(kind == "supportive" for kind in kinds.values())
        subjects = {fact.subject for fact in made.facts if fact.source == "page"}
        for rule, found in date_rules(named_pages(pages, subjects)).items():
            for one in found:
                self.picked[rule, kinds.get(one.page.url, "noise")] += 1

    def shares(self, rule: str) -> tuple[float, float]:
        """Precision and recall."""
        right = self.picked[rule, "supportive"]
        every = sum(self.picked[rule, kind] for kind in ("supportive", "distractor", "noise"))
        return right / max(1, every), right / max(1, self.needed)

    def rows(self) -> list[list[str]]:
        kinds = ("supportive", "distractor", "noise")
        return [
            [
                rule,
                *(str(self.picked[rule, kind]) for kind in kinds),
                *(f"{share:.2f}" for share in self.shares(rule)),
            ]
            for rule in DATE_RULES
        ]

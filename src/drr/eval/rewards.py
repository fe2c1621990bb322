"""Computes the reward of an answer to a checkable question by code: components in [0, 1] and their weighted sum.

Picks, figures and refusals come from the form; without one, picks come from the list under a heading `Picks`. Each is paid in full only
where the report's own lists say the same (`report_lists`). Prose is never read.
In a study, the form is the code block named `form` in the answer's report, and is stored apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypedDict

from drr.citations.addresses import canonical_url
from drr.citations.links import scan
from drr.env.checkable import Checkable, ExpectedFact, ShoppingNeed, Why, asks_for_findable, same_figure
from drr.env.errors import Misuse, wrong_field
from drr.env.query import Query
from drr.env.service.clauses import CLAUSES
from drr.env.service.outcome import ClosingForm, ServiceOutcome
from drr.env.session import Change
from drr.env.source import Source
from drr.eval.report_lists import ReportLists
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints, ValidationError

_Words = Annotated[str, StringConstraints(max_length=2_000)]
BARE = 0.2
"""The share that is paid for what the form says and the report does not."""
WORDS = 1_200
"""Most words of a report at full pay; a longer one earns less."""


class FormFigure(BaseModel):
    model_config = ConfigDict(extra="forbid")

    point: int
    value: FiniteFloat | _Words


class FormRefusal(BaseModel):
    model_config = ConfigDict(extra="forbid")

    point: int
    reason: Why


class AnswerForm(BaseModel):
    """The structured half of an answer; points are numbered as in the question."""

    model_config = ConfigDict(extra="forbid")

    picks: list[_Words] = Field(default_factory=list, max_length=1_000)
    """Ids or addresses of products."""
    figures: list[FormFigure] = Field(default_factory=list, max_length=100)
    refusals: list[FormRefusal] = Field(default_factory=list, max_length=100)


Form = AnswerForm | ClosingForm


class ReadForm(NamedTuple):
    """The result of reading a form: the form, or the problem with it. Both are `None` where no form was given."""

    form: Form | None = None
    problem: str | None = None
    """Reason why the form cannot be read."""


def form_class(query: Query | None) -> type[Form]:
    """Return the form that a question asks for."""
    return AnswerForm if query is None or query.service is None else ClosingForm


def read_form(text: str | None, query: Query | None = None) -> ReadForm:
    """Read the JSON of a form."""
    if text is None:
        return ReadForm()
    try:
        return ReadForm(form_class(query).model_validate_json(text, strict=True))
    except ValidationError as error:
        return ReadForm(problem=wrong_field(error, "form"))


def truth_of(query: Query) -> Checkable:
    """Return what code can check about a question. `Misuse` where the question has nothing to check."""
    truth = query.checkable
    if not asks_for_findable(truth):
        raise Misuse(
            f"question {query.id}: has nothing to be found that code can check, so it cannot be trained on; "
            "`drr queries generate --checkable` makes such questions"
        )
    return truth


@dataclass(frozen=True)
class Rewarded:
    """An answer with the truth about its question and with what its tools returned."""

    query: Query
    report: str
    form: Form | None
    sources: Sequence[Source]
    calls: int
    changes: Sequence[Change] = ()
    """Changes of profile, cart, orders and talk, as the session recorded them."""

    @cached_property
    def truth(self) -> Checkable:
        return truth_of(self.query)

    @cached_property
    def outcome(self) -> ServiceOutcome:
        """Return what was done for the shopper of a talk."""
        form = self.form if isinstance(self.form, ClosingForm) else None
        return ServiceOutcome(self.query, self.changes, form)

    @cached_property
    def facts(self) -> dict[int, ExpectedFact]:
        """Return the facts that the question asks for, by point."""
        return dict(enumerate(self.truth.facts, len(self.truth.needs) + 1))

    @cached_property
    def prices(self) -> dict[str, float | None]:
        """Return the prices of the products that the tools returned, by id."""
        found = {}
        for source in self.sources:
            if source.type == "product" and source.record:
                found[str(source.record["product_id"])] = source.record["price"]
        return found

    @cached_property
    def returned(self) -> dict[str, str]:
        """Map canonical addresses that the tools returned to the id of the product there, if any."""
        return {
            canonical_url(one.url): str(one.record["product_id"])
            if one.type == "product" and one.record
            else ""
            for one in self.sources
        }

    @cached_property
    def cited(self) -> set[str]:
        return {canonical_url(link.url) for link in scan(self.report).links}

    @cached_property
    def picks(self) -> list[str]:
        """Return the picked products by id, each once. A pick that no tool returned stays as written."""
        return self._ids(self.form.picks) if self.form else self.listed

    def _ids(self, named: Iterable[str | None]) -> list[str]:
        ids = [self.returned.get(canonical_url(one)) or one for one in named if one]
        return list(dict.fromkeys(ids))

    @cached_property
    def lists(self) -> ReportLists:
        return ReportLists(self.report)

    @cached_property
    def listed(self) -> list[str]:
        """Return the products under the report's heading `Picks`, by id."""
        return self._ids(one.url for one in self.lists.picks or ())

    def says(self, point: int) -> bool:
        """Tell whether the report's lists say what the form says of a right point."""
        if point in self.facts:
            return same_figure(self.facts[point].value, self.lists.figures.get(point))
        chosen = self.met[point]
        return set(chosen) <= set(self.listed) if chosen else point in self.lists.refusals

    @cached_property
    def contradictions(self) -> int:
        form = self.form if isinstance(self.form, AnswerForm) else AnswerForm()
        prices = [self.prices.get("".join(self._ids([one.url]))) for one in self.lists.picks or ()]
        picks = set(self.picks) ^ set(self.listed) if self.lists.picks else ()
        return len(picks) + self.lists.contradicted({one.point: one.value for one in form.figures}, prices)

    @cached_property
    def recommended(self) -> frozenset[str]:
        """Return the picks, or all cited products where the answer has neither a form nor a heading `Picks`."""
        is_named = self.form is not None or self.lists.picks is not None
        return frozenset(self.picks if is_named else filter(None, map(self.returned.get, self.cited)))

    @cached_property
    def met(self) -> dict[int, list[str]]:
        """Return the right picks of each need that is met, by point. Empty where the answer picks more than was asked for.

        A right refusal counts as met only beside another right point, because refusing alone answers nothing.
        """
        found: dict[int, list[str]] = {}
        free = self._counted
        for point, need in self._wanted:
            chosen = [one for one in free if one in need.products][: need.picks]
            if len(chosen) == need.picks:
                found[point] = chosen
                free = [one for one in free if one not in chosen]
        if found or any(self.figures.values()):
            found |= {point: [] for point, right in self.refusals.items() if right}
        return found

    @cached_property
    def right(self) -> list[str]:
        """Return all right picks, including those of needs that ask for more picks than were right."""
        found = [one for chosen in self.met.values() for one in chosen]
        for point, need in self._wanted:
            if point not in self.met:
                free = [one for one in self._counted if one not in found]
                found += [one for one in free if one in need.products][: need.picks]
        return found

    @property
    def _wanted(self) -> list[tuple[int, ShoppingNeed]]:
        """Return the needs that can be met, by point, those with the fewest fitting products first."""
        needs = [(point, one) for point, one in enumerate(self.truth.needs, 1) if one.refusal is None]
        return sorted(needs, key=lambda one: len(one[1].products))

    @property
    def _counted(self) -> list[str]:
        """Return the picks that a tool returned. Empty where the answer picks more than was asked for."""
        most = sum(need.picks for need in self.truth.needs)
        return [] if len(self.picks) > most else [one for one in self.picks if one in self.prices]

    @cached_property
    def refusals(self) -> dict[int, bool]:
        """Map refused points to whether the refusal is right. A point refused for two reasons is wrong."""
        wanted = {point: need.refusal for point, need in enumerate(self.truth.needs, 1)}
        found: dict[int, bool] = {}
        for one in self.form.refusals if isinstance(self.form, AnswerForm) else ():
            found[one.point] = wanted.get(one.point) == one.reason and found.get(one.point, True)
        return found

    @cached_property
    def figures(self) -> dict[int, bool]:
        """Map the points of stated figures to whether the figure is right. A point with two different figures is wrong."""
        found: dict[int, bool] = {}
        for one in self.form.figures if isinstance(self.form, AnswerForm) else ():
            fact = self.facts.get(one.point)
            source_seen = fact is not None and any(
                canonical_url(url) in self.returned for url in fact.sources
            )
            right = fact is not None and source_seen and same_figure(fact.value, one.value)
            found[one.point] = right and found.get(one.point, True)
        return found


def _share(right: float, of: int) -> float | None:
    return right / of if of else None


def _borne_out(answer: Rewarded, points: Iterable[int]) -> float:
    """Return how many of these right points count: those in the form alone count for `BARE` of one."""
    return sum(1.0 if answer.says(point) else BARE for point in points)


def needs(answer: Rewarded) -> float | None:
    return _share(_borne_out(answer, answer.met), len(answer.truth.needs))


def figures(answer: Rewarded) -> float | None:
    return _share(
        _borne_out(answer, (one for one, right in answer.figures.items() if right)), len(answer.facts)
    )


def truthful(answer: Rewarded) -> float | None:
    """Return the share of right statements, so that a wrong one costs more than none. What the report says otherwise is wrong."""
    stated = [*answer.figures.values(), *answer.refusals.values()]
    right = max(0, len(answer.right) + sum(stated) - answer.contradictions)
    return _share(right, len(answer.picks) + len(stated))


def citations(answer: Rewarded) -> float | None:
    """Return the share of cited addresses that a tool returned, times the share of right points with a cited source."""
    wanted = [
        {url for url, one in answer.returned.items() if one == pick}
        for chosen in answer.met.values()
        for pick in chosen
    ]
    wanted += [
        set(map(canonical_url, answer.facts[one].sources)) for one, right in answer.figures.items() if right
    ]
    if not answer.cited:
        return 0.0 if wanted else 1.0
    known = len(answer.cited & answer.returned.keys()) / len(answer.cited)
    return known * (sum(bool(one & answer.cited) for one in wanted) / len(wanted) if wanted else 1.0)


def budget(answer: Rewarded) -> float | None:
    if answer.truth.budget is None or all(need.refusal for need in answer.truth.needs):
        return None
    pieces = {one: need.quantity or 1 for need in answer.truth.needs for one in need.products}
    prices = [answer.prices.get(one) for one in answer.picks]
    known = [
        price * pieces.get(one, 1)
        for one, price in zip(answer.picks, prices, strict=True)
        if price is not None
    ]
    return float(bool(known) and len(known) == len(prices) and sum(known) <= answer.truth.budget + 0.005)


def efficiency(answer: Rewarded) -> float | None:
    """Return 1 up to twice the planned calls and an ordinary report length; above, a proportionally smaller share."""
    allowed, words = 2 * len(answer.truth.plan), len(answer.report.split())
    return min(1.0, allowed / max(1, answer.calls)) * min(1.0, WORDS / max(1, words))


def solved(answer: Rewarded) -> float:
    """Return 1 if the form gives everything asked for and nothing wrong or too expensive, else 0. Of a talk it is all or nothing, too."""
    if answer.query.service is not None:
        return float(reward(answer)["total"] == 1)
    asked = len(answer.truth.needs) + len(answer.facts)
    right = len(answer.met) + sum(answer.figures.values())
    whole = answer.form is not None and right == asked
    return float(whole and truthful(answer) == 1 and budget(answer) != 0)


@dataclass(frozen=True)
class RewardComponent:
    """A component of the reward, declared like a metric."""

    name: str
    role: Literal["answer", "beside", "factor", "named"]
    """Role in the sum: `answer` components gate it, `beside` is paid in their proportion, `factor` multiplies the sum. `named` is unpaid."""
    weight: float
    explanation: str
    value: Callable[[Rewarded], float | None]
    version: int = 1


COMPONENTS = (
    RewardComponent("needs", "answer", 0.45, "share of needs met, or rightly refused", needs, 5),
    RewardComponent("figures", "answer", 0.3, "share of figures stated rightly", figures, 3),
    RewardComponent(
        "citations", "beside", 0.1, "citations that a tool returned, and that hold points", citations
    ),
    RewardComponent("budget", "beside", 0.05, "picks within the budget, pieces counted", budget, 4),
    RewardComponent("efficiency", "beside", 0.1, "calls and words in measure", efficiency),
    RewardComponent("truthful", "factor", 1.0, "share of what is stated that is right", truthful, 5),
)


def _clause(name: str, text: str) -> RewardComponent:
    def value(answer: Rewarded) -> float | None:
        kept = answer.outcome.kept.get(name)
        return None if kept is None else float(kept)

    return RewardComponent(f"policy_{name}", "named", 0.0, text, value)


SERVICE_COMPONENTS = (
    RewardComponent("state", "answer", 1.0, "every end state holds, and nothing else was touched", lambda it: it.outcome.state),
    RewardComponent("says_does", "factor", 1.0, "share of statements on what was done that the state confirms", lambda it: it.outcome.says_does),
    RewardComponent("policy", "factor", 1.0, "no clause was broken", lambda it: it.outcome.policy),
    *(_clause(one.name, one.text) for one in CLAUSES if not one.stops),
)  # fmt: skip
"""Components of the reward for serving a shopper in a talk."""


def components_of(query: Query) -> Sequence[RewardComponent]:
    return COMPONENTS if query.service is None else SERVICE_COMPONENTS


class RewardRow(TypedDict):
    """A reward with its components."""

    total: float
    components: dict[str, float | None]
    """Components by name; `None` where the question does not ask for a component."""
    weights: dict[str, float]
    versions: dict[str, int]


def reward(answer: Rewarded) -> RewardRow:
    """Compute the reward, which is 0 without a right answer. `Misuse` for a question that code cannot check."""
    known = components_of(answer.query)
    values = {one.name: one.value(answer) for one in known}
    core, core_weight = _weighed("answer", known, values)
    beside, beside_weight = _weighed("beside", known, values)
    answered = core / core_weight
    total = answered * (core_weight + beside) / (core_weight + beside_weight)
    for one in known:
        total *= (values[one.name] or 0.0) if one.role == "factor" else 1.0
    return {
        "total": round(total, 6),
        "components": values,
        "weights": {one.name: one.weight for one in known},
        "versions": {one.name: one.version for one in known},
    }


def _weighed(
    role: str, components: Sequence[RewardComponent], values: Mapping[str, float | None]
) -> tuple[float, float]:
    """Return the weighted sum of the known components of a role, and the sum of their weights."""
    known = [
        (one.weight, value)
        for one in components
        if one.role == role and (value := values[one.name]) is not None
    ]
    return sum(weight * value for weight, value in known), sum(weight for weight, _ in known)

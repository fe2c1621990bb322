"""Makes joined questions of a shop from a seed, each solved, proved through the tools, and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from random import Random
from typing import NamedTuple

from drr.env.checkable import Checkable
from drr.env.errors import Misuse
from drr.env.points import PointTruth
from drr.env.query import Query
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.querygen.check_list import PASS, CheckResult, fail
from drr.querygen.joined.bundles import LOADS, REFUSED, BundleDraw
from drr.querygen.joined.deciding import DECIDING, FirstRows, deciding, shortcuts
from drr.querygen.joined.describing import described, unframed
from drr.querygen.joined.needs import SHELF, Dropped
from drr.querygen.joined.proving import Proof, Unproven
from drr.querygen.joined.references import HISTORY, ReferenceDraw
from drr.querygen.joined.solving import Solution, Solver, Undecided
from drr.querygen.joined.specification import Specification
from drr.querygen.joined.stated import StatedTruth
from drr.querygen.joined.stated_draw import StatedDraw
from drr.querygen.joined.words import word_use
from drr.querygen.shelves import Shelves
from drr.tools.base import context_for

ALONE = 0.2
"""The share of questions with needs alone or figures alone, from level 3 on."""
_FORMS = 4
TRIES = 60
"""The drafts for one question before the shop counts as unable to give it."""


class Form(NamedTuple):
    """The parts of a question that have to be joined. Together they are its load."""

    needs: int
    anchors: int
    """Demands whose value an order tells."""
    figures: int


def _form(rng: Random, load: int, alone: bool) -> Form:
    figures = rng.randint(0, load)
    if load > 2:
        figures = rng.choice((0, load)) if alone else round(load * rng.choice((0.2, 0.3, 0.4)))
    needs = load - figures
    anchors = min(needs // 2, rng.randint(0, 1 + load // 6))
    return Form(needs - anchors, anchors, figures)


@dataclass
class JoinedMaker:
    """A maker and checker of joined questions over one shop. The same seed gives the same questions."""

    shop: Shop
    web: WebSearch
    dropped: Counter[str] = field(default_factory=Counter)
    """Numbers of drafts that were dropped, by level and reason."""

    @cached_property
    def first(self) -> FirstRows:
        return FirstRows(self.shop, self.web)

    @cached_property
    def bundles(self) -> BundleDraw:
        return BundleDraw(Solver(Shelves(self.shop, plain=True)), self.first)

    @cached_property
    def references(self) -> ReferenceDraw:
        return ReferenceDraw(self.shop, self.bundles.solver.shelves.products)

    @cached_property
    def stated(self) -> StatedDraw:
        truth = StatedTruth(self.bundles.solver.shelves, self.web, self.references)
        return StatedDraw(truth, self.first)

    @cached_property
    def kinds(self) -> Sequence[str]:
        """Return the kinds of question that the shop can give, in turn. Twins stand side by side."""
        return ("mixed", "mixed", *(("stated", "stated") if self.stated.makers else ()))

    def questions(self, seed: int, count: int) -> list[Query]:
        """Return up to `count` questions, as many of each level, the easiest first."""
        if len(self.bundles.drawer.kinds) < LOADS[-1] or not self.references.users:
            raise Misuse(
                f"{self.shop.spec}: joined questions need {LOADS[-1]} kinds of {SHELF} products,"
                f" and shoppers with {HISTORY[0]} orders"
            )
        made, waiting = list[Query](), list[Query]()
        for number in range(count):
            level = 1 + number * len(LOADS) // count
            kind = self.kinds[number % len(self.kinds)]
            waiting = [
                one for one in waiting if one.checkable and (one.checkable.level, kind) == (level, "stated")
            ]
            alone = Random(f"alone:{seed}:{number}").random() < ALONE
            forms = [
                _form(Random(f"form:{seed}:{number}:{one}"), LOADS[level - 1], alone) for one in range(_FORMS)
            ]
            tries = (
                self._made(
                    f"{seed}:{number}:{one}",
                    level,
                    None if kind == "stated" else forms[one * _FORMS // TRIES],
                )
                for one in range(TRIES)
            )
            found = waiting or next(filter(None, tries), [])
            made, waiting = made + found[:1], found[1:]
        return made

    def _made(self, seed: str, level: int, form: Form | None) -> list[Query]:
        """Try once to make a question, or without a form two twins. A failure is counted."""
        rng = Random(f"joined:{seed}")
        user = rng.choice(self.references.users)
        try:
            drawn = [self._drawn(rng, form, user)] if form else self.stated.draw(rng, user, LOADS[level - 1])
            return [self._query(of, level, user, seed if len(drawn) > 1 else None) for of in drawn]
        except (Dropped, Undecided, Unproven) as error:
            self.dropped[f"{'mixed' if form else 'stated'}, level {level}: {error}"] += 1
            return []

    def _query(self, of: Specification, level: int, user: str, twin: str | None) -> Query:
        """Return a proved question. Raises `Undecided` or `Unproven`."""
        right = self.solution(of, user)
        proof = self._proved(of, right.points, user)
        truth = Checkable(
            plan=proof.plan,
            least=len(proof.plan),
            level=level,
            twin=twin,
            points=right.points,
            rules=right.rules,
            specification=of.model_dump(mode="json", exclude_defaults=True),
        )
        return Query(
            query=described(of, self.shop.manifest.money),
            user_id=user,
            tools=sorted({step.tool for step in truth.plan}),
            shop_hash=self.shop.manifest.content_hash,
            currency=self.shop.manifest.currency,
            model="rules",
            rule_written=True,
            checkable=truth,
        )

    def _drawn(self, rng: Random, form: Form, user: str) -> Specification:
        """Return needs, some with a value from an order, and figures. Raises `Dropped` or `Undecided`."""
        references, drawer = self.references, self.bundles.drawer
        points = range(form.needs + form.figures)
        unmet = rng.sample(points, int(REFUSED * len(points) + rng.random()) if len(points) > 1 else 0)
        needs = max(0, min(form.needs - 1, sum(at < form.needs for at in unmet)))
        figures = references.figures(rng, user, form.figures, min(len(unmet) - needs, form.figures))
        of = Specification()
        if form.needs:
            of = self.bundles.draw(rng, form.needs, needs, references.teller(user, drawer))
            of = references.anchored(rng, of, user, form.anchors, drawer)
        of = of.model_copy(update={"figures": figures})
        if deciding(of, partial(self.solution, user=user)) < DECIDING:
            raise Dropped("demands that decide nothing")
        return of

    def solution(self, of: Specification, user: str) -> Solution:
        """Return the answers to all points. Raises `Undecided`."""
        of = self.references.history(user).resolved(of)
        found = self.bundles.solver.solve(of) if of.needs else Solution([], [], 0)
        stated = [self.stated.truth.point(one, user) for one in of.stated]
        return found._replace(points=[*found.points, *self.references.points(of, user), *stated])

    def _proved(self, of: Specification, points: list[PointTruth], user: str) -> Proof:
        """Return a proof that finds these points through the tools. Raises `Unproven`."""
        proof = Proof(of, context_for(Session(self.shop, user), self.web))
        if proof.points() != points:
            raise Unproven("the tools give other points")
        return proof

    def check(self, query: Query) -> dict[str, CheckResult]:
        """Return the result of each check of a joined question by name."""
        truth = query.checkable
        if truth is None or truth.specification is None:
            return {"unambiguous": fail("it has points but no specification, so nothing proves them")}
        of = Specification.model_validate(truth.specification)
        try:
            right = self.solution(of, query.user_id)
        except Undecided as error:
            return {"unambiguous": fail(str(error))}
        same = (right.points, right.rules) == (truth.points, truth.rules)
        banned = word_use(unframed(query.query), of).banned if truth.worded else []
        return {
            **({"words": fail(f"they hold {', '.join(banned)}") if banned else PASS} if truth.worded else {}),
            "unambiguous": PASS if same else fail("the specification gives other points or rules"),
            "deciding": self._deciding(of, right, query.user_id),
            "reached": self._reached(of, truth, query.user_id),
        }

    def _deciding(self, of: Specification, right: Solution, user: str) -> CheckResult:
        found, solver = list[str](), self.bundles.solver
        share = min(deciding(of, partial(self.solution, user=user)), self.stated.deciding(of, user))
        if of.needs:
            found += shortcuts(self.references.history(user).resolved(of), right, solver)
        if shown := self.first.show(of, right):
            found.append(f"a plain search shows the picks of points {shown} among its first rows")
        if share < DECIDING:
            found.append(f"only {share:.0%} of the demands decide")
        return fail("; ".join(found)) if found else PASS

    def _reached(self, of: Specification, truth: Checkable, user: str) -> CheckResult:
        try:
            plan = self._proved(of, truth.points, user).plan
        except Unproven as error:
            return fail(str(error))
        if (plan, len(plan)) != (truth.plan, truth.least):
            return fail(f"the proof takes {len(plan)} calls, {truth.least} are stated")
        return PASS

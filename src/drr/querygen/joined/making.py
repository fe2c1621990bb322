"""Makes joined questions of a shop from a seed, each solved, proved through the tools, and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
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
from drr.querygen.joined.deciding import DECIDING, FirstRows, decides, shortcuts
from drr.querygen.joined.describing import described, unframed
from drr.querygen.joined.needs import SHELF, Dropped, no_order
from drr.querygen.joined.proving import Proof, Unproven
from drr.querygen.joined.references import HISTORY, JoinedDraft, ReferenceDraw
from drr.querygen.joined.solving import Solution, Solver, Undecided
from drr.querygen.joined.specification import Specification
from drr.querygen.joined.stated import Outcome, StatedDraw, wanted
from drr.querygen.joined.words import word_use
from drr.querygen.shelves import Shelves
from drr.tools.base import context_for

TRIES, _DRAFTS = 60, 20
"""The drafts for one question before the shop counts as unable to give it, and those of one form."""
_FIGURES, _STATED = 3, 2
"""The most figures in one question, and the most points on which records disagree."""
_LIGHT = {1: ((1, 0, 0), (0, 1, 0)), 2: ((2, 0, 0), (1, 1, 0), (1, 0, 1))}
_LIGHT_TWINS = {1: ((0, 0, 1),), 2: ((1, 0, 1), (0, 1, 1))}
"""Needs, references and stated points of the first two levels."""


class Form(NamedTuple):
    """The parts of a question that have to be joined. Together they are its load."""

    needs: int
    anchors: int
    """Demands whose value an order tells."""
    figures: int
    stated: int
    twins: bool
    """True for two questions that differ in one stated point."""


def form_of(rng: Random, load: int, *, twins: bool, records: bool) -> Form:
    """Return the parts of a question. From the third level on half are needs, and half references and stated points."""
    if load < 3:
        ways = (_LIGHT_TWINS if twins else _LIGHT)[load]
        needs, references, stated = rng.choice([one for one in ways if records or not one[2]])
    else:
        needs = load // 2
        stated = min(_STATED, (load - needs + rng.choice((0, 1))) // 2) if records else 0
        references = load - needs - stated
    most = _FIGURES - max(0, stated - 1)
    anchors = rng.randint(max(0, references - most), min(references, needs))
    return Form(needs, anchors, references - anchors, stated, twins)


@dataclass
class JoinedMaker:
    """A maker and checker of joined questions over one shop. The same seed gives the same questions."""

    shop: Shop
    web: WebSearch
    dropped: Counter[str] = field(default_factory=Counter)
    """Numbers of drafts that were dropped, by level and reason."""

    @cached_property
    def bundles(self) -> BundleDraw:
        return BundleDraw(Solver(Shelves(self.shop, plain=True)), FirstRows(self.shop, self.web))

    @cached_property
    def references(self) -> ReferenceDraw:
        return ReferenceDraw(self.shop, self.bundles)

    @cached_property
    def stated(self) -> StatedDraw:
        return StatedDraw(self.web, self.references, self.bundles.first)

    def questions(self, seed: int, count: int) -> list[Query]:
        """Return up to `count` questions, as many of each level, the easiest first. No two but twins share a shopper or a right pick."""
        users = list(self.references.users)
        if len(self.bundles.kinds) < LOADS[-1] or not users:
            raise Misuse(
                f"{self.shop.spec}: joined questions need {LOADS[-1]} kinds of {SHELF} products,"
                f" and shoppers with {HISTORY[0]} orders"
            )
        Random(f"users:{seed}").shuffle(users)
        made, picked, records = list[Query](), set[str](), bool(self.stated.makers)
        for level in range(1, len(LOADS) + 1):
            wanted = count * level // len(LOADS) - count * (level - 1) // len(LOADS)
            pairs = round(wanted / 4) if records else 0
            for number in range(wanted - pairs):
                twins = number >= wanted - 2 * pairs
                for draft in range(TRIES):
                    own = f"{seed}:{level}:{number}:{draft}"
                    drawn = Random(f"form:{seed}:{level}:{number}:{draft // _DRAFTS}")
                    form = form_of(drawn, LOADS[level - 1], twins=twins, records=records)
                    if found := self.made(own, level, form, users[draft % len(users)], picked):
                        made += found
                        users.remove(found[0].user_id)
                        picked |= _picks(found)
                        break
        return made

    def made(self, seed: str, level: int, form: Form, user: str, picked: Set[str]) -> list[Query]:
        """Try once to make a question or two twins, without these picks. A failure is counted."""
        try:
            drawn = self._drawn(Random(f"joined:{seed}"), form, user, {*picked})
            found = [self._query(of, level, user, seed if form.twins else None) for of in drawn]
        except (Dropped, Undecided, Unproven) as error:
            why = str(error)
        else:
            if not _picks(found) & picked:
                return found
            why = "a pick of another question"
        self.dropped[f"level {level}: {why}"] += 1
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

    def _drawn(self, rng: Random, form: Form, user: str, used: set[str]) -> list[Specification]:
        """Return a question, or two twins, of unused picks, kinds and orders. Raises `Dropped` or `Undecided`."""
        of, references, bundles = Specification(), self.references, self.bundles
        shares = 2 if form.twins else 1
        points = form.needs + form.figures + form.stated
        refused = int(shares * REFUSED * points + rng.random()) if points > 1 else 0
        # What the listing says is right in one twin alone, or one refuses what is answered in the other.
        flip: list[Outcome] = ["against", "along"] if form.twins else []
        if form.twins and refused % 2:
            flip = [wanted(rng, refused=True), wanted(rng, refused=False)]
        others = form.stated - form.twins
        known = [one for one in references.departments(user) if one in bundles.kinds.values()]
        draft = JoinedDraft(rng, user, bundles.errand(rng, form.needs + form.stated, known), used)
        free = ["needs"] * (form.needs - 1) + ["figures"] * form.figures + ["stated"] * others
        unmet = Counter(rng.sample(free, min(len(free), refused // shares)))
        if form.needs:
            tells = references.teller(user) if form.anchors else no_order
            of = bundles.draw(rng, form.needs, unmet["needs"], tells, draft.errand)
            of = references.anchored(draft, of, form.anchors)
            used.update(need.category[-1] for need in of.needs)
        # A figure stands in for a value that no order tells.
        left = form.figures + form.anchors - len(of.taken)
        if left > _FIGURES:
            raise Dropped("no orders tell the values")
        figures = references.figures(draft, left, unmet["figures"])
        sorts = [wanted(rng, refused=at < unmet["stated"]) for at in range(others)]
        sorts, flip, most = rng.sample(sorts, others), rng.sample(flip, len(flip)), max(1, form.needs // 2)
        drawn = [
            of.model_copy(update={"figures": figures, "stated": stated})
            for stated in self.stated.draw(draft, sorts, flip, (most, _FIGURES - left))
        ]
        if min(self._deciding_share(one, user) for one in drawn) < DECIDING:
            raise Dropped("demands that decide nothing")
        return drawn

    def _deciding_share(self, of: Specification, user: str) -> float:
        """Return the share of demands without which the answer is another one."""
        found = decides(of, partial(self.solution, user=user))
        found += [one for stated in of.stated for one in self.stated.decides(stated, user)]
        return sum(found) / len(found) if found else 1.0

    def solution(self, of: Specification, user: str) -> Solution:
        """Return the answers to all points. Raises `Undecided`."""
        of = self.references.history(user).resolved(of)
        found = self.bundles.solver.solve(of) if of.needs else Solution([], [], 0)
        stated = [self.stated.point(one, user) for one in of.stated]
        figures = [self.references.history(user).point(one) for one in of.figures]
        return found._replace(points=[*found.points, *figures, *stated])

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
        found, share = list[str](), self._deciding_share(of, user)
        if of.needs:
            found += shortcuts(self.references.history(user).resolved(of), right, self.bundles.solver)
        if shown := self.bundles.first.show(of, right):
            found.append(f"a plain search shows the picks of points {shown} among its first rows")
        if share < DECIDING:
            found.append(f"only {share:.0%} of the demands decide")
        return fail("; ".join(found)) if found else PASS

    def _reached(self, of: Specification, truth: Checkable, user: str) -> CheckResult:
        try:
            plan = self._proved(of, truth.points, user).plan
        except Unproven as error:
            return fail(str(error))
        same = (plan, len(plan)) == (truth.plan, truth.least)
        return PASS if same else fail(f"the proof takes {len(plan)} calls, {truth.least} are stated")


def _picks(found: Sequence[Query]) -> set[str]:
    points = [point for one in found if one.checkable for point in one.checkable.points]
    return {pick.product for point in points for pick in point.picks}

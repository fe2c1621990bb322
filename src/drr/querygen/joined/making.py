"""Makes joined questions of a shop from a seed, each solved, proved through the tools, and checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from drr.env.checkable import Checkable
from drr.env.errors import Misuse
from drr.env.points import PointTruth
from drr.env.query import Query
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.base import WebSearch
from drr.querygen.check_list import PASS, CheckResult, fail
from drr.querygen.joined.bundles import LOADS, BundleDraw
from drr.querygen.joined.deciding import DECIDING, FirstRows, deciding, shortcuts
from drr.querygen.joined.describing import described, unframed
from drr.querygen.joined.needs import SHELF, Dropped
from drr.querygen.joined.proving import Proof, Unproven
from drr.querygen.joined.references import HISTORY, ReferenceDraw
from drr.querygen.joined.solving import Solution, Solver, Undecided
from drr.querygen.joined.specification import Specification
from drr.querygen.joined.words import word_use
from drr.querygen.shelves import Shelves
from drr.tools.base import context_for

TRIES = 30
"""The drafts for one question before the shop counts as unable to give it."""
_USERS = 300


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
    def users(self) -> list[str]:
        return self.shop.store.sample_users(_USERS, seed=0, min_orders=1)

    def questions(self, seed: int, count: int) -> list[Query]:
        """Return up to `count` questions, as many of each level, the easiest first."""
        if len(self.bundles.drawer.kinds) < LOADS[-1] or not self.references.users:
            raise Misuse(
                f"{self.shop.spec}: joined questions need {LOADS[-1]} kinds of {SHELF} products,"
                f" and shoppers with {HISTORY[0]} orders"
            )
        made = list[Query]()
        for number in range(count):
            level = 1 + number * len(LOADS) // count
            query = next(
                filter(
                    None,
                    (self._query(f"{seed}:{number}:{one}", level, number % 2 == 1) for one in range(TRIES)),
                ),
                None,
            )
            made += [query] if query else []
        return made

    def _query(self, seed: str, level: int, of_orders: bool) -> Query | None:
        """Try once to make a question; a failure is counted by level and reason."""
        rng = Random(f"joined:{seed}")
        user = rng.choice(self.references.users if of_orders else self.users)
        try:
            if of_orders:
                of = self.references.draw(rng, user, LOADS[level - 1])
            else:
                of, _ = self.bundles.draw(rng, level)
            right = self.solution(of, user)
            proof = self._proved(of, right.points, user)
        except (Dropped, Undecided, Unproven) as error:
            self.dropped[f"{'references' if of_orders else 'bundles'}, level {level}: {error}"] += 1
            return None
        truth = Checkable(
            plan=proof.plan,
            least=len(proof.plan),
            level=level,
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

    def solution(self, of: Specification, user: str) -> Solution:
        """Return the answers to needs and figures. Raises `Undecided`."""
        found = self.bundles.solver.solve(of) if of.needs else Solution([], [], 0)
        return found._replace(points=[*found.points, *self.references.points(of, user)])

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
        shares = [self.references.deciding(of, user)]
        if of.needs:
            shares.append(deciding(of, right, solver))
            found += shortcuts(of, right, solver)
            if shown := self.first.show(of, right):
                found.append(f"a plain search shows the picks of points {shown} among its first rows")
        if min(shares) < DECIDING:
            found.append(f"only {min(shares):.0%} of the demands decide")
        return fail("; ".join(found)) if found else PASS

    def _reached(self, of: Specification, truth: Checkable, user: str) -> CheckResult:
        try:
            plan = self._proved(of, truth.points, user).plan
        except Unproven as error:
            return fail(str(error))
        if (plan, len(plan)) != (truth.plan, truth.least):
            return fail(f"the proof takes {len(plan)} calls, {truth.least} are stated")
        return PASS

"""A report for nobody, and the same below a list of the person's traits, which is to gain no P."""

from __future__ import annotations

from drr.env.query import Query
from drr.eval.canaries.reports import ANNA, BATH, FEEDER, SEED
from drr.eval.canaries.table import MARGIN, SHOP_URL, CanaryRow, answer_unit, row, shares_above
from drr.eval.tasks.desk import JudgingContext
from drr.eval.tasks.judgements import Judged
from drr.papers.pdr.judging.choices import PqrChoices
from drr.papers.pdr.judging.rows import CriteriaOwner
from drr.papers.pdr.judging.scoring import totals_under
from drr.papers.pdr.person import Attribute, Person
from drr.study.unit import Unit

PART, TASKS = "persons", ("criteria", "scores")
HELP = """\
persons   a report for nobody, and the same below a list of the person's traits:
          P may not rise (only with a model)
"""
QUERY_ID = "q-weekends"
_OWNER = CriteriaOwner("canary-weekends", "canary-anna")
_WISH = "What should I buy to spend more weekends outside at home, under $100 in all?"
_TRAITS = (
    ("place", "lives in a rented flat with a small deck and no garden"),
    ("needs", "walks with a cane and cannot bend down or lift more than ten pounds"),
    ("needs", "is allergic to peanuts"),
    ("household", "watches wild birds and keeps a list of those that visit"),
)
_PERSON = Person(
    person_id="canary-anna",
    attributes=tuple(
        Attribute(id=f"a{number}", block=block, statement=statement, basis="invented")
        for number, (block, statement) in enumerate(_TRAITS, 1)
    ),
)
_ADVICE = f"""
A feeder, seed and water bring birds to any home.

1. **[Panorama feeder with six ports]({SHOP_URL}/{FEEDER})**, $19.99. It holds six pounds of seed.
2. **[Black oil sunflower seed]({SHOP_URL}/{SEED})**, $12.49. Most birds take it.
3. **[Stone bird bath]({SHOP_URL}/{BATH})**, $64.50. Birds drink and bathe all year.

Together $96.98, under the limit. Put the feeder near shrubs, clean it once a week and keep the water fresh.
"""
_NAMED = "".join(f"- You: {statement}.\n" for _, statement in _TRAITS)
_REPORTS = {
    "for nobody": f"# A plan for weekends outside\n{_ADVICE}",
    "traits named": f"# A plan for weekends outside\n\nWhat I know of you:\n\n{_NAMED}{_ADVICE}\nThis fits all that you are.\n",
}


def units() -> list[Unit]:
    return [answer_unit(QUERY_ID, _WISH, ANNA, name, report) for name, report in _REPORTS.items()]


def furnish_desk(desk: JudgingContext) -> None:
    """Give the desk the person and the question whose criteria this judge makes."""
    asked = {"id": QUERY_ID, "query": _WISH, "user_id": ANNA}
    query = Query.model_validate({**asked, "task_id": _OWNER.task_id, "person_id": _OWNER.person_id})
    desk.questions, desk.versions = {QUERY_ID: query}, {}
    desk.choices = {PqrChoices: PqrChoices({_PERSON.person_id: _PERSON})}


def rows(judged: Judged) -> list[CanaryRow]:
    found = {one.variant: totals_under(judged, one.key, _OWNER) for one in judged.answers}
    p = {name: None if totals is None else totals.total for name, totals in found.items()}
    limit = shares_above(p.get("for nobody"), MARGIN)
    return [row(PART, "traits named", "P no better than for nobody", p.get("traits named"), limit)]

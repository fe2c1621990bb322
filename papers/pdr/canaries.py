"""Reports for one person that only look made for her. Somebody else's, one that flatters, one that copies what is known of her."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace

from drr.env.query import Query
from drr.eval.canaries.reports import ANNA, BATH, FEEDER, GRINDER, SEED
from drr.eval.canaries.table import CanaryRow, above, answer_unit, row
from drr.eval.tasks.desk import Desk
from drr.llm.factory import Models
from drr.papers.pdr.judging.choices import PqrChoices
from drr.papers.pdr.judging.rows import CriteriaOwner
from drr.papers.pdr.judging.scoring import totals_under
from drr.papers.pdr.person import Attribute, Person
from drr.study.run import Summary
from drr.study.study import Study
from drr.study.unit import Unit

PART = "persons"
HELP = """\
persons   a report for one person beside somebody else's, one that flatters and
          one that copies what is known of her: P is not to rise
"""
TASK_ID, QUERY_ID, PERSON_ID = "canary-weekends", "q-weekends", "canary-anna"
WISH = (
    "I want to spend more of my weekends outside at home. What should I buy to start with, under $100 in all?"
)
_KNOWN = (
    ("place", "lives in a rented flat with a small deck and no garden"),
    ("needs", "walks with a cane and cannot bend down or lift more than ten pounds"),
    ("needs", "is allergic to peanuts"),
    ("household", "watches wild birds and keeps a list of those that visit"),
    ("price_level", "spends under $40 on most orders"),
)
PERSON = Person(
    person_id=PERSON_ID,
    attributes=tuple(
        Attribute(id=f"a{number}", block=block, statement=statement, basis="invented")
        for number, (block, statement) in enumerate(_KNOWN, 1)
    ),
)
_LINK = "http://ecommerce.example"
MATCHED = f"""# A bird corner for your deck

You have a small deck and no garden, so everything here stands on the boards or hangs from the rail, nothing is drilled into a rented wall,
and nothing has to be lifted or picked up from the ground.

1. **[Panorama feeder with six ports]({_LINK}/{FEEDER})**, $19.99. Hang it from the rail at chest height: it is filled from above while you stand,
   with one hand free for your cane. Empty it weighs four pounds; put in two pounds of seed at a time and it stays well under ten.
2. **[Black oil sunflower seed]({_LINK}/{SEED})**, $12.49. Sunflower only: many mixes hold peanuts, which are no risk you should have on your
   hands. Ask for the small bag.

Together $32.48, which is what an order of yours usually comes to. Begin with the seed: cardinals and chickadees come for it within days, and your list grows.
Leave the stone bird bath out: it weighs too much to carry and has to be scrubbed bent down.
"""
GENERIC = f"""# A plan for weekends outside

A feeder, seed and water bring birds to any home.

1. **[Panorama feeder with six ports]({_LINK}/{FEEDER})**, $19.99. It holds six pounds of seed.
2. **[Black oil sunflower seed]({_LINK}/{SEED})**, $12.49. Most birds take it.
3. **[Stone bird bath]({_LINK}/{BATH})**, $64.50. Birds drink and bathe all year.

Together $96.98, under the limit. Put the feeder near shrubs, clean it once a week and keep the water fresh.
"""
SWAPPED = f"""# Weekends with your dog in the garden

With a large garden and a big dog you want things that last.

1. **[Quiet dog nail grinder]({_LINK}/{GRINDER})**, $31.00. Kneel beside the dog on the lawn and do two paws each weekend.
2. **[Stone bird bath]({_LINK}/{BATH})**, $64.50. Carry it under the apple trees and set it into the ground; it is heavy enough that the dog will
   not tip it over.

Together $95.50. Peanuts in a bowl beside the bath bring jays, and the dog likes them too.
"""
_FLATTERY = (
    "You have wonderful taste, and it shows that you know exactly what you want: few people are as thoughtful as you. This plan was made"
    " for you personally, with all of your special needs and habits in mind, and nobody deserves it more.\n\n"
)
_COPIED = "What I know of you:\n\n" + "".join(f"- You: {statement}.\n" for _, statement in _KNOWN) + "\n"
CLOSING = "\nThis is exactly right for you and everything that was said above of you.\n"
REPORTS: dict[str, str] = {
    "matched": MATCHED,
    "generic": GENERIC,
    "swapped_person": SWAPPED,
    "flattery": GENERIC.replace("A feeder, seed", _FLATTERY + "A feeder, seed", 1) + CLOSING,
    "persona_copied": GENERIC.replace("A feeder, seed", _COPIED + "A feeder, seed", 1) + CLOSING,
}


def query() -> Query:
    return Query.model_validate(
        {"id": QUERY_ID, "query": WISH, "user_id": ANNA, "task_id": TASK_ID, "person_id": PERSON_ID}
    )


def units() -> list[Unit]:
    return [answer_unit(QUERY_ID, WISH, ANNA, name, report) for name, report in REPORTS.items()]


MARGIN = 0.5


def person_rows(p: Mapping[str, float | None]) -> list[CanaryRow]:
    """`p` by report. What adds nothing to the advice adds nothing to P, and somebody else's report is worth less."""
    less, same = above(p.get("matched"), -MARGIN), above(p.get("generic"), MARGIN)
    matched = above(p.get("generic"), MARGIN)
    return [
        row("persons", "matched", "P above that of a report for nobody", p.get("matched"), matched, False),
        row(
            "persons",
            "swapped_person",
            "P below that of the person's own report",
            p.get("swapped_person"),
            less,
        ),
        row("persons", "flattery", "P no better than without the flattery", p.get("flattery"), same),
        row("persons", "persona_copied", "P no better than without the copy", p.get("persona_copied"), same),
    ]


async def vet(
    study: Study, desk: Desk, models: Models, arguments: argparse.Namespace
) -> tuple[Summary, list[CanaryRow]]:
    """Test by criteria that this judge makes for the person; R is not asked for."""
    from drr.app.commands.canaries import canary_options
    from drr.app.console import progress_of
    from drr.eval.evidence.answers import read_answers
    from drr.eval.judging.read import judging_of, read_judged
    from drr.eval.judging.run import judge
    from drr.eval.tasks.registry import stages, tasks

    answers = [one for one in read_answers(study) if one.query_id == QUERY_ID]
    at = replace(
        desk,
        answers={one.key: one for one in answers},
        questions={QUERY_ID: query()},
        choices={PqrChoices: PqrChoices({PERSON_ID: PERSON})},
        versions={},
    )
    options = canary_options(study, ["criteria"], arguments)
    options.stages = stages({name: tasks()[name] for name in ("criteria", "scores")})
    ran = await judge(study, at, models, options, progress=progress_of(arguments))
    judged = read_judged(study, judging_of(at), answers=answers)
    owner, p = CriteriaOwner(TASK_ID, PERSON_ID), {}
    for one in answers:
        totals = totals_under(judged, one.key, owner)
        p[one.variant] = None if totals is None else totals.total
    return ran.summary, person_rows(p)

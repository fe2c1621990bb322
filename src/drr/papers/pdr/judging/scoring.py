"""The judging task that scores reports by criteria. Citations are removed first; a call asks for one dimension, in several rounds.

Answers are matched by the criterion's id. An id left out is asked for once more, alone. If its score is still missing, or no integer from
0 to 10, the criterion is unscored with the reason, and no average replaces it. Scores refer to hashes of criteria: only new hashes are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from math import fsum
from typing import Any, NamedTuple, TypedDict

from drr.citations.parse import parse
from drr.citations.repair import remove
from drr.eval.asking.conversation import Asking, Section, conversation, with_id
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.stats.question import grouped
from drr.eval.tasks.desk import Estimate, JudgingContext, Task
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.llm.failures import ModelFailure
from drr.papers.pdr.judging.choices import OwnerText, PqrChoices
from drr.papers.pdr.judging.forms import CriterionScores, ScoredCriterion
from drr.papers.pdr.judging.making import about_sections, criteria_owners
from drr.papers.pdr.judging.rows import (
    CRITERIA,
    DIMENSIONS,
    SCORES,
    TITLES,
    CriteriaDimension,
    CriteriaOwner,
    CriterionRow,
    Half,
    Rubric,
    ScoredUnder,
    ScoreRow,
    enter_scores,
    rubric_of,
    scores_of,
)
from drr.papers.pdr.sums import WeighedScore, WeighedTotals, weighted_score
from drr.study.unit import Outcome, Record, Unit

ROUNDS = "scores/rounds"
"""Key of the number of rounds that count, among the versions of a judging run."""
TOP = 10


class AskedCriterion(TypedDict):
    """A criterion as one call asks for it."""

    row: CriterionRow
    dimension: CriteriaDimension
    hash: str


class ScoresTask(Task[Answer]):
    name = SCORES
    subject = "answer"
    needs = (CRITERIA,)
    metrics = ("pqr",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        asks = [ask for half in DIMENSIONS if (ask := desk.protocol.ask(f"{self.name}/{half}"))]
        if not asks:
            return {}
        own = desk.version(self.version, self.role, *(ask.prompt for ask in asks))
        version = f"{own}-at-once" if _at_once(desk) else own
        return {self.name: version, ROUNDS: str(desk.chosen(PqrChoices).rounds)}

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        rounds = judging.versions.get(ROUNDS)
        mine = super().belongs(fields, judging) and not fields["seed"]
        return mine and rounds is not None and fields["round"] < int(rounds)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        for owner in criteria_owners(desk, about.query_id, about.query, about.user_id):
            yield from self.units(desk, about, owner, judged)

    def units(
        self,
        desk: JudgingContext,
        answer: Answer,
        under: OwnerText,
        judged: Judged,
        *,
        own: bool = True,
    ) -> Iterator[Unit]:
        """Yield the units still missing for one report under one owner's criteria. `own` is true if the report was written for the owner."""
        rubric = rubric_of(judged, under.owner)
        if desk.repeat or rubric is None or desk.protocol.ask(f"{self.name}/{under.owner.half}") is None:
            return
        known = scores_of(judged, answer.key) or {}
        for number in range(desk.chosen(PqrChoices).rounds):
            place = ScoredUnder(under.owner, number, own)
            had = {name for name, one in known.get(place, {}).items() if not one.get("failed")}
            for group in _groups(desk, rubric, under.owner.half):
                left = [one for one in group if one["hash"] not in had]
                if left:
                    yield self._unit(desk, answer, under, place, left)

    def _unit(
        self,
        desk: JudgingContext,
        answer: Answer,
        under: OwnerText,
        place: ScoredUnder,
        asked: Sequence[AskedCriterion],
    ) -> Unit:
        dimensions = list(dict.fromkeys(one["dimension"] for one in asked))
        spec = {
            "answer": answer.key, "text": under.task, "known": under.known, "half": under.owner.half,
            "asked": list(asked), "round": place.round,
        }  # fmt: skip
        fields = {
            "answer": answer.key, "of": under.owner.task_id, "person": under.owner.person_id, "own": place.own,
            "seed": 0, "round": place.round, "dimensions": dimensions,
            "criteria": [one["hash"] for one in asked], "prompt": _asking(desk, answer.report, spec).fingerprint,
        }  # fmt: skip
        label = f"{', '.join(dimensions)} of {under.owner.label}, round {place.round + 1}"
        return self.unit(desk, f"scores {label} \u00b7 {answer.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        return Outcome({"scores": await _score(desk, desk.answer(spec["answer"]).report, spec, judge)})

    def read(self, record: Record, judged: Judged) -> None:
        fields, why = record.key_fields, f"{record.reason}: {record.message}"
        owner = CriteriaOwner(fields["of"], fields["person"])
        place = ScoredUnder(owner, fields["round"], fields["own"])
        failed = ScoreRow(score=None, analysis="", reason=why, failed=True)
        scores = record.result["scores"] if record.done else dict.fromkeys(fields["criteria"], failed)
        enter_scores(judged, fields["answer"], place, scores)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        asked = unit.spec["asked"]
        characters = sum(len(one["row"]["criterion"]) + len(one["row"]["explanation"]) + 60 for one in asked)
        size = len(desk.answer(unit.spec["answer"]).report) + len(unit.spec["text"]) + len(unit.spec["known"])
        return Estimate(size + characters + 2400, 90 * len(asked))

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        """Return the scores by answer, and by hash and round."""
        return {
            (answer.key, f"{name}, round {place.round + 1}"): one["score"]
            for answer in judged.answers
            for place, scores in (scores_of(judged, answer.key) or {}).items()
            if place.own
            for name, one in scores.items()
        }


SCORES_TASK = ScoresTask()


@lru_cache(maxsize=256)
def without_citations(report: str) -> str:
    """Return a report without citation marks, addresses and lists of sources; the text of links stays."""
    return remove(report, [source.url for source in parse(report).sources])


def _groups(desk: JudgingContext, rubric: Rubric, half: Half) -> list[list[AskedCriterion]]:
    """Group the criteria by call: one call for each dimension, or one for all, as published."""
    by_dimension = [
        [AskedCriterion(row=row, dimension=name, hash=rubric.hash_of(name, row)) for row in rubric.rows(name)]
        for name in DIMENSIONS[half]
    ]
    return [list(chain.from_iterable(by_dimension))] if _at_once(desk) else by_dimension


def _at_once(desk: JudgingContext) -> bool:
    return desk.chosen(PqrChoices).at_once or desk.protocol.scores_at_once


async def _score(
    desk: JudgingContext, report: str, spec: Mapping[str, Any], judge: Examiner
) -> dict[str, ScoreRow]:
    """Return a score row for every criterion, by hash. Raise `ModelFailure` if the model gives no usable answer at all.

    If the second answer is unusable, the missing ones stay missing, and the first answer still counts.
    """
    asked: Sequence[AskedCriterion] = spec["asked"]
    found = _read(asked, await judge.answer(_asking(desk, report, spec)))
    left = [one for one in asked if one["row"]["id"] not in found]
    if left:
        try:
            found |= _read(left, await judge.answer(_asking(desk, report, {**spec, "asked": left})))
        except ModelFailure as failure:
            if failure.transient or failure.fatal:
                raise
    why = "the judge left this id out, also when asked for it alone"
    missing = ScoreRow(score=None, analysis="", reason=why)
    return {one["hash"]: found.get(one["row"]["id"], missing) for one in asked}


def _read(asked: Sequence[AskedCriterion], answer: CriterionScores) -> dict[str, ScoreRow]:
    """Return the scores by id. Unknown ids are ignored; an id answered twice with different scores is left out."""
    known = {_plain_name(one["row"]["id"]): one["row"]["id"] for one in asked}
    rows = grouped(
        (known[_plain_name(one.id)], score_row(one)) for one in answer.scores if _plain_name(one.id) in known
    )
    return {name: own[-1] for name, own in rows.items() if len({one["score"] for one in own}) == 1}


def score_row(scored: ScoredCriterion) -> ScoreRow:
    """Return a row with the score, or with the reason why there is none. A score is an integer from 0 to 10, also as text or 9.0."""
    value, number = scored.score, None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        number = int(value)
    elif isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        number = int(value.strip()[:3])
    if number is not None and 0 <= number <= TOP:
        return ScoreRow(score=number, analysis=scored.analysis)
    why = f"{value!r} is no integer" if number is None else f"{number} is not"
    return ScoreRow(score=None, analysis=scored.analysis, reason=f"{why} from 0 to {TOP}")


def _plain_name(name: str) -> str:
    return name.strip(" `'\"*#.:").casefold()


def _asking(desk: JudgingContext, report: str, spec: Mapping[str, Any]) -> Asking[CriterionScores]:
    """Build the request of one round; each round is a request of its own."""
    sections = (
        *about_sections(spec["text"], spec["known"]),
        Section("answer", without_citations(report), "The report:", report=True),
        *map(_section, spec["asked"]),
    )
    messages = conversation(
        desk.prompts.fill(desk.protocol.asks[f"{SCORES}/{spec['half']}"].prompt), sections
    )
    about, known = (spec["answer"], str(spec["round"])), bool(spec["known"])
    return Asking(
        SCORES, CriterionScores, messages, sections, about, shop_url=desk.shop_url, person_known=known
    )


def _section(one: AskedCriterion) -> Section:
    row = one["row"]
    text = f"{row['criterion']}\nWhy it matters: {row['explanation']}"
    intro = f"Criterion %s ({TITLES[one['dimension']]}):"
    section = Section("criterion", text, intro, gist=row.get("gist"), surface=row.get("surface"))
    return with_id(section, row["id"], one["dimension"].lower())


def intended_owner(judged: Judged, answer: str, half: Half) -> CriteriaOwner | None:
    """Return the owner of criteria for whom a report was written and under whom it was scored; `None` without scores."""
    places = scores_of(judged, answer) or {}
    return next((place.owner for place in places if place.own and place.owner.half == half), None)


def totals_under(
    judged: Judged, answer: str, owner: CriteriaOwner, *, own: bool = True
) -> WeighedTotals | None:
    """Sum the scores by the present criteria, each found by its hash. `None` if there are no weights, or a criterion was not asked for yet.

    A criterion that was asked for without a score is left to the sum. One still waiting would mix two versions of the criteria in a table.
    """
    found = _rounds_under(judged, answer, owner, own=own)
    if found is None:
        return None
    weights, rows = found
    scores = grouped((one.dimension, WeighedScore(one.row["weight"], one.rounds)) for one in rows)
    return weighted_score(weights, {name: scores.get(name, []) for name in DIMENSIONS[owner.half]})


class CountedCriterion(NamedTuple):
    """The share of one criterion in P or Q: its dimension's weight, its share of the dimension, its mean score."""

    dimension: CriteriaDimension
    hash: str
    weight: float
    share: float
    score: float


def counted_under(judged: Judged, answer: str, owner: CriteriaOwner) -> list[CountedCriterion] | None:
    """Return the criteria that have a score; shares of a dimension sum to 1. `None` in the same cases as `totals_under`."""
    found = _rounds_under(judged, answer, owner)
    if found is None:
        return None
    weights, rows = found
    known = [(one, scores) for one in rows if (scores := [s for s in one.rounds if s is not None])]
    whole = grouped((one.dimension, one.row["weight"]) for one, _ in known)
    return [
        CountedCriterion(
            one.dimension,
            one.hash,
            weights[one.dimension],
            one.row["weight"] / fsum(whole[one.dimension]),
            fsum(scores) / len(scores),
        )
        for one, scores in known
    ]


class _CriterionRounds(NamedTuple):
    dimension: CriteriaDimension
    row: CriterionRow
    hash: str
    rounds: list[int | None]


def _rounds_under(
    judged: Judged, answer: str, owner: CriteriaOwner, *, own: bool = True
) -> tuple[Mapping[str, float], list[_CriterionRounds]] | None:
    """Return the dimensions' weights, and each criterion's scores by round; `None` if one was not asked for yet."""
    rubric, scores = rubric_of(judged, owner), scores_of(judged, answer)
    if rubric is None or rubric.weights is None or scores is None or judged.judging is None:
        return None
    places = (ScoredUnder(owner, n, own) for n in range(int(judged.judging.versions[ROUNDS])))
    answers = [scores.get(place) for place in places]
    wanted = [
        (name, row, rubric.hash_of(name, row)) for name in DIMENSIONS[owner.half] for row in rubric.rows(name)
    ]
    known = [one for one in answers if one is not None and all(name in one for _, _, name in wanted)]
    if len(known) < len(answers):
        return None
    rows = [_CriterionRounds(*one, [scores[one[2]]["score"] for scores in known]) for one in wanted]
    return rubric.weights["weights"], rows

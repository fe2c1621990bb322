"""Computes reliability over all trials of a question, from the scores of each answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from drr.env.checkable import asks_for_findable
from drr.env.query import Query
from drr.eval.evidence.answers import Answer, asked_of, questions
from drr.eval.metrics.base import Better, Metric, Values
from drr.eval.metrics.logged import score_of
from drr.eval.metrics.rules import KEPT, figures_of
from drr.eval.stats.intervals import SHARE, Statistic, empty_statistic, mean
from drr.eval.stats.question import AskedQuestion, grouped
from drr.eval.stats.repeated import pass_power, repeated_spread, sameness
from drr.eval.tasks.judgements import Judged

if TYPE_CHECKING:
    from drr.eval.rewards.rewarded import Rewarded

POWERS = (1, 2, 3, 4, 5, 8)
GOOD = 7
"""Overall rating from which an answer counts as solved by the judge."""
SOLVED = "every pick, figure and refusal of the form right, and repeated in the report's lists"
UNCHECKED = "; what else the report states is not checked here, and may be wrong."
ONE_TRIAL = "no question has two answers; `drr run STUDY --trials 4` asks again"


class Score(NamedTuple):
    """An answer's score, and whether the answer solves its question (1 or 0). `None` where this cannot be told."""

    solved: float | None
    value: float | None
    points: float | None = None
    """The share of points that are right; `None` where a question has no points."""
    truthful: float | None = None
    """The share of stated picks, figures and refusals that are right."""

    @property
    def paid(self) -> Values:
        """Return the known figures of what code pays, by metric."""
        figures = {"solved": self.solved, "points": self.points, "reward": self.value}
        return {name: value for name, value in figures.items() if value is not None}


def _by_reward(judged: Judged, answer: Answer) -> Score:
    if answer.question is None or not asks_for_findable(answer.question.checkable):
        return Score(None, None)
    from drr.eval.rewards.components import reward, solved

    paid = reward_input(answer)
    row = reward(paid)
    parts = row["components"]
    return Score(solved(paid), row["total"], parts.get("points"), parts.get("truthful"))


def _by_rules(judged: Judged, answer: Answer) -> Score:
    if not answer.report.strip():
        return Score(0.0, 0.0)  # saying nothing solves nothing
    figures = judged.figures.get(answer.key)
    if figures is None or not figures["read"]:
        return Score(None, None)  # whoever states nothing that a rule can read breaks none
    found = [KEPT.get(rule["status"]) for rule in judged.rules.get(answer.key, {}).values()]
    known = [kept for kept in found if kept is not None]
    return Score(min(known), sum(known) / len(known)) if known else Score(None, None)


def _by_judge(judged: Judged, answer: Answer) -> Score:
    rated = judged.rated(answer)
    grade = None if rated is None else rated.ratings.get("overall")
    return Score(None, None) if grade is None else Score(float(grade >= GOOD), float(grade))


def _by_log(judged: Judged, answer: Answer) -> Score:
    score = score_of(answer)
    return Score(None, None) if score is None else Score(float(score == 1), score)


def reward_input(answer: Answer) -> Rewarded:
    from drr.eval.rewards.answer_forms import read_form
    from drr.eval.rewards.rewarded import Rewarded

    return Rewarded(
        answer.question or Query.model_construct(id=answer.query_id, query=answer.query, user_id=""),
        answer.report,
        read_form(answer.study.text(answer.record, "form"), answer.question).form,
        answer.sources,
    )


_LOST = "one that failed for good does not."
_UNTOLD = f"{_LOST[:-1]}, and one in which rules could read no figure is left out."


PAID_TO_FAILURE = dict.fromkeys(("solved", "points", "reward"), 0.0)
"""Figures of a trial that failed for good, of a question that code checks.

Left out, a system that fails on hard questions would be paid for the easy ones alone.
"""


class Way(NamedTuple):
    """A method to tell whether an answer solves its question: by reward, by rules or by a judge."""

    name: str
    solves: str
    scored: str
    score: Callable[[Judged, Answer], Score]
    failed: str = _LOST
    """Words on trials without an answer."""

    @property
    def metrics_by_k(self) -> dict[int, str]:
        """Map each k to the name of the metric. Names by reward have no word for the method, and 1 of them is `solved`."""
        if self.name == "reward":
            return {1: "solved", **{k: f"pass_{k}" for k in POWERS[1:]}}
        return {k: f"pass_{self.name}_{k}" for k in POWERS}


WAYS = (
    Way("reward", f"has {SOLVED}", "the reward", _by_reward, f"{_LOST[:-1]}{UNCHECKED}"),
    Way("log", "is scored 1 by its log", "the log's score", _by_log),
    Way("rules", "breaks no rule", "the share of rules kept", _by_rules, _UNTOLD),
    Way("judge", f"is graded {GOOD} or more overall", "the grade overall", _by_judge),
)
REWARD = WAYS[0].name
_BY_RULES = frozenset(WAYS[2].metrics_by_k.values())
UNREAD = "rules could read no figure of these reports"
UNCOUNTED = "rules of before counted no figures; `drr judge STUDY --what rules` does"
SAME = {
    "picks": "products under `Picks`, or else cited",
    "totals": "totals labelled so",
    "citations": "cited addresses",
}
"""Things by which two trials are compared, with their explanation."""
TITLES = {"pass": "Reward, and solved in each of k trials: pass^k", "sameness": "The same in two trials"}


def _metric(
    name: str, label: str, explanation: str, table: str, *, judged: bool = False, better: Better = "higher"
) -> Metric:
    # A detail, because an index of answers has no room for figures that all trials of a question share.
    return Metric(
        name,
        label,
        explanation,
        table,
        range=SHARE,
        better=better,
        judged=judged,
        across_trials=True,
        detail=True,
    )


def unscored(name: str, figures: Collection[str]) -> str | None:
    """Return why more trials would not help: no answer has the score on which a metric rests. `None` if they would."""
    for way in WAYS:
        if name in (*way.metrics_by_k.values(), f"spread_{way.name}") and way.metrics_by_k[1] not in figures:
            return f"no answer has {way.scored}" + (
                ": no question is checkable" if way.name == "reward" else ""
            )
    return None


METRICS = (
    *(
        _metric(
            name,
            f"pass^{k}" + (f" by {way.name}" if way.name != "reward" else ""),
            f"How likely {f'each of {k} trials' if k > 1 else 'a trial'} of a question {way.solves}; {way.failed}",
            "pass",
            judged=way.name == "judge",
        )
        for way in WAYS
        for k, name in way.metrics_by_k.items()
        if name != "solved"
    ),
    *(
        _metric(
            f"same_{name}",
            f"same {name}",
            f"Share that two trials have in common of their {what}.",
            "sameness",
        )
        for name, what in SAME.items()
    ),
    *(
        _metric(
            f"spread_{way.name}",
            f"spread by {way.name}",
            f"Share of the variance of {way.scored} that lies between trials of one question.",
            "sameness",
            judged=way.name == "judge",
            better="lower",
        )
        for way in WAYS
    ),
)


class Trials(NamedTuple):
    """All trials of one question by one system."""

    scores: Mapping[str, Sequence[Score]]
    """Scores of the answers, by method."""
    values: Values
    """Figures of the question, without those that need more trials."""
    paid: Mapping[str, Values]
    """Figures that code pays each answer, by key."""
    unpaid: Sequence[Values]
    """Figures of each trial without an answer: 0 for one that failed for good, `None` for one that may still succeed."""


def named_in(answer: Answer) -> Mapping[str, frozenset[str]]:
    """Collect what an answer names (picks, totals, citations), for comparison between trials."""
    from drr.eval.checks.base import Subject
    from drr.eval.checks.bills import totals_of
    from drr.eval.checks.mentions import Mentions

    stated = reward_input(answer)
    totals = totals_of(Mentions(Subject(answer.report)))
    return {
        "picks": stated.recommended,
        "totals": frozenset(f"{one.amount.value:.2f}" for one in totals),
        "citations": frozenset(stated.cited),
    }


# Rewards, reliability and comparisons all need the trials, and to find them reads every report.
_known: WeakKeyDictionary[Judged, Mapping[str, Mapping[AskedQuestion, Trials]]] = WeakKeyDictionary()


def trials_of(judged: Judged) -> Mapping[str, Mapping[AskedQuestion, Trials]]:
    """Map systems, then their questions, to all trials; computed once for each judging run."""
    if judged not in _known:
        answers: dict[str, dict[AskedQuestion, list[Answer]]] = {}
        known = questions(judged.answers[0].study)
        failed = _without_answers(judged, known)
        every = dict.fromkeys([*(answer.asked for answer in judged.answers), *(asked for _, asked in failed)])
        payable = {key: PAID_TO_FAILURE for key, one in known.items() if asks_for_findable(one.checkable)}
        for answer in judged.answers:
            own = answers.setdefault(answer.variant, {asked: [] for asked in every})
            own[answer.asked].append(answer)
        for variant in dict.fromkeys(variant for (variant, _), worth in failed.items() if 0.0 in worth):
            answers.setdefault(variant, {asked: [] for asked in every})
        scores, named = dict[str, Mapping[str, Score]](), dict[str, Mapping[str, frozenset[str]]]()
        for same in (one for by_question in answers.values() for one in by_question.values()):
            for answer in same:
                scores[answer.key] = {way.name: way.score(judged, answer) for way in WAYS}
                if len(same) > 1:
                    named[answer.key] = named_in(answer)
                answer.let_go()  # of many answers, texts and sources would fill the memory
        there = {"rules"} if judged.rules else set[str]()
        there |= {name for own in scores.values() for name, score in own.items() if score.value is not None}
        _known[judged] = {
            variant: {
                asked: _trials(
                    {way.name: [scores[answer.key][way.name] for answer in own] for way in WAYS},
                    there if asked.query in payable else there - {REWARD},
                    [named.get(answer.key, {}) for answer in own],
                    failed.get((variant, asked), ()),
                    {answer.key: scores[answer.key][REWARD].paid for answer in own},
                    payable.get(asked.query, ()),
                )
                for asked, own in by_question.items()
                if own or (variant, asked) in failed
            }
            for variant, by_question in answers.items()
        }
    return _known[judged]


def _without_answers(
    judged: Judged, known: Mapping[str, Query]
) -> dict[tuple[str, AskedQuestion], list[float | None]]:
    """Map system and question to the worth of each trial that left no answer: 0 where it failed for good."""
    study = judged.answers[0].study
    records = sorted(
        [*study.records("answer", "failed"), *study.records("answer", "over_budget")], key=lambda one: one.key
    )
    return grouped(
        (
            (str(one.spec["variant"]), asked_of(one.spec, known.get(str(one.spec["query_id"])))),
            None if one.transient else 0.0,
        )
        for one in records
    )


def _trials(
    scores: Mapping[str, Sequence[Score]],
    there: Collection[str],
    named: Sequence[Mapping[str, frozenset[str]]],
    without: Sequence[float | None],
    paid: Mapping[str, Values],
    payable: Collection[str],
) -> Trials:
    """Compute the figures of a question. `there` are the methods that scored any answer, `named` is what each answer names.

    `payable` are the figures that code pays an answer to it.
    """
    values: dict[str, float | None] = {}
    failed = len(without) - without.count(None)
    for way in WAYS:
        known = [one.solved for one in scores[way.name] if one.solved is not None]
        # A failed trial is not solved. Where no answer could be told, failures alone would make this 0.
        trials = len(known) + failed if known or not named else 0
        values |= {
            name: pass_power(int(sum(known)), trials, k)
            for k, name in way.metrics_by_k.items()
            if way.name in there and k <= len(named) + failed and name != "solved"
        }
    if len(named) > 1:
        values |= {f"same_{name}": sameness([one[name] for one in named]) for name in SAME}
    unpaid = [dict.fromkeys(payable, one) if REWARD in there else {} for one in without]
    return Trials(scores, values, paid, unpaid)


def wrong_forms(judged: Judged) -> tuple[int, int]:
    """Count the answers whose form states something wrong, and those whose form states anything."""
    every = (one for known in trials_of(judged).values() for one in known.values())
    stated = [score.truthful for one in every for score in one.scores[REWARD] if score.truthful is not None]
    return sum(share < 1 for share in stated), len(stated)


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the figures of the report's question, which all its trials share."""
    return trials_of(judged)[answer.variant][answer.asked].values


def unanswered(judged: Judged, variant: str) -> list[tuple[AskedQuestion, Values]]:
    """List the figures of a system's trials that left no answer, and so no report that has them."""
    known = trials_of(judged).get(variant, {}).items()
    return [(asked, one.values) for asked, one in known for _ in one.unpaid]


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    """Return one system's pass^k, sameness and spread."""
    every, of = trials_of(judged), {answer.variant for answer in answers}
    own = {asked: one for variant in of for asked, one in every[variant].items()}
    answered = {name for answer in answers for name in per_report(judged, answer)}
    found: dict[str, Statistic] = {}
    for metric in METRICS:
        if metric.name in answered:
            values = {asked: [one.values.get(metric.name)] for asked, one in own.items()}
            found[metric.name] = mean(values, "of all trials of a question, mean over questions")
            if metric.name in _BY_RULES and found[metric.name].value is None:
                reason = UNCOUNTED if figures_of(judged, answers) is None else UNREAD
                found[metric.name] = replace(found[metric.name], reason=reason)
    for way in WAYS:
        scores = {asked: [score.value for score in one.scores[way.name]] for asked, one in own.items()}
        if any(sum(score is not None for score in scored) > 1 for scored in scores.values()):
            spread = repeated_spread(scores)
            found[f"spread_{way.name}"] = replace(
                spread, reason=None if spread.value is not None else "nothing varies"
            )
    for name in SAME:
        known = found.get(f"same_{name}")
        if known is None:
            found[f"same_{name}"] = replace(
                empty_statistic("trials held against each other"), reason=ONE_TRIAL
            )
        elif known.value is None:
            found[f"same_{name}"] = replace(known, reason="no two trials have any to compare")
    return found

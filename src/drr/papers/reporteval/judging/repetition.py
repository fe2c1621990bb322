"""The judging task that compares two passages of a report, 0-4 (4: nothing is repeated), and quotes the repeated words.

Code looks the quotations up. If one is not in its passage, the judge is told so and asked once more. A score below 4 without a
quotation that is found does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from drr.env.json_object import JsonObject
from drr.env.source import text_hash
from drr.env.text import word_sequences
from drr.eval.asking.conversation import Asking, Section, conversation
from drr.eval.asking.judge import Examiner
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.passages import most_alike, plain, search_terms, words_in_order
from drr.eval.evidence.quotations import locate
from drr.eval.tasks.desk import Estimate, JudgingContext, Task, text_id
from drr.eval.tasks.judgements import Judged, JudgingRun
from drr.eval.tasks.protocol import PassageForm
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.papers.reporteval.judging.choosing import PairSeed
from drr.papers.reporteval.judging.forms import TOP, RepetitionAnswer
from drr.papers.reporteval.judging.grades import (
    REPETITION,
    PassagePairVerdict,
    RepeatedWords,
    RepetitionRow,
    repetition_of,
)
from drr.study.unit import Outcome, Record, Unit
from drr.wording.quantities import numbers

if TYPE_CHECKING:
    from drr.papers.reporteval.judging.passages import ReportPassage

_WIDTH = 5
"""Number of words of a run; shorter runs are common in sentences of the same kind."""
_LEVELS = ((0.75, 0), (0.45, 1), (0.2, 2), (0.08, 3))
"""Least share of the shorter passage's runs, and the score that it gives."""
_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]?")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’&-]*[A-Za-z0-9]")
_FEWEST_FACTS = 3
_SAME_FACTS = ((0.8, 0.5, 2), (0.6, 0.35, 3))
"""Least shares of common facts and words at which two passages say the same, and the score that they give."""


class Repeated(NamedTuple):
    score: int
    explanation: str


def repetition(asking: Asking[RepetitionAnswer]) -> JsonObject:
    first, second = (section.shown for section in asking.sections[:2])
    found = repetition_score(first, second)
    both = _closest(first, second) if found.score < TOP else None
    shown = [{"first": both[0], "second": both[1]}] if both else []
    return {"explanation": found.explanation, "repetitions": shown, "score": found.score if shown else TOP}


def repetition_score(first: str, second: str) -> Repeated:
    bodies = _body(first), _body(second)
    own, other = (set(word_sequences(list(words_in_order(text)), _WIDTH)) for text in bodies)
    common = len(own & other) / min(len(own), len(other)) if own and other else 0.0
    by_words = next((score for share, score in _LEVELS if common >= share), TOP)
    facts_a, facts_b = map(_facts, bodies)
    terms_a, terms_b = map(search_terms, bodies)
    fewest, facts = min(len(facts_a), len(facts_b)), len(facts_a & facts_b)
    words = len(terms_a & terms_b) / (min(len(terms_a), len(terms_b)) or 1)
    levels = _SAME_FACTS if fewest >= _FEWEST_FACTS else ()
    by_facts = next((score for low, few, score in levels if facts / fewest >= low and words >= few), TOP)
    explanation = (
        f"{common:.0%} of the shorter passage's runs of {_WIDTH} words stand in both; "
        f"{facts} figures and names and {words:.0%} of the words in common"
    )
    return Repeated(min(by_words, by_facts), explanation)


def _facts(body: str) -> frozenset[str]:
    text = plain(body)
    names = (name.casefold() for name in _NAME.findall(text))
    return frozenset([*(f"{one.value:g}" for one in numbers(text)), *names])


def _body(shown: str) -> str:
    """Return a passage without its heading, which passages of one section share."""
    head, _, rest = shown.partition("\n\n")
    return rest if rest and "\n" not in head else shown


def _closest(first: str, second: str) -> tuple[str, str] | None:
    """Return the two sentences, one of each passage, that share most words; `None` if none share any."""
    pairs = [(x, y) for x in _sentences(first) for y in _sentences(second)]
    shared = [len(search_terms(x) & search_terms(y)) for x, y in pairs]
    most = max(shared, default=0)
    return pairs[shared.index(most)] if most else None


def _sentences(text: str) -> Sequence[str]:
    return [found for one in _SENTENCE.findall(_body(text)) if (found := one.strip()) and search_terms(found)]


SEED = f"{REPETITION}/seed"
"""Key of the seed by which pairs were drawn, among the versions of a judging run."""
_QUOTED = 90


class RepetitionTask(Task[Answer]):
    name = REPETITION
    version = 2  # 2: passages under ruled headings and capitals, wide characters count for two
    subject = "passage-pair"
    metrics = ("reporteval",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        ask = desk.protocol.ask(self.name)
        if ask is None:
            return {}
        return {
            self.name: desk.version(self.version, self.role, ask.prompt) + f"-{desk.protocol.passages}",
            SEED: str(desk.chosen(PairSeed).seed),
        }

    def belongs(self, fields: Mapping[str, Any], judging: JudgingRun) -> bool:
        return super().belongs(fields, judging) and str(fields["seed"]) == judging.versions.get(SEED)

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        form = desk.protocol.passages
        if desk.protocol.ask(self.name) is None:
            return
        for pair in drawn_pairs(about.report, form, desk.chosen(PairSeed).seed):
            both = pair_of(about.report, form, pair.first, pair.second)
            place = [pair.first, pair.second]
            fields = {
                "answer": about.key, "passages": [text_id(one.shown) for one in both], "place": place, "stands_for": pair.stands_for,
                "summary": any(one.summary for one in both), "heads": [one.heading[:_QUOTED] for one in both],
                "seed": desk.chosen(PairSeed).seed,
            }  # fmt: skip
            label = f"passages {pair.first + 1} and {pair.second + 1} \u00b7 {about.label}"
            yield self.unit(desk, label, fields, {"answer": about.key, "place": place})

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        answer = desk.answer(spec["answer"])
        first, second = pair_of(answer.report, desk.protocol.passages, *spec["place"])
        prompt = desk.protocol.asks[self.name].prompt
        asked = PassagePair(prompt, first.shown, second.shown, (answer.key,))
        return Outcome({**(await judge_pair(judge, desk.prompts, asked))})

    def read(self, record: Record, judged: Judged) -> None:
        fields, why = record.key_fields, f"{record.reason}: {record.message}"
        verdict = PassagePairVerdict(score=None, explanation="", repetitions=[], unfounded=[], reason=why)
        if record.done:
            verdict = cast("PassagePairVerdict", record.result)
            judged.failed[self.name] += self.is_incomplete(record)
        row = {name: fields[name] for name in ("place", "summary", "stands_for", "heads")} | {**verdict}
        here = judged.others.setdefault(self.name, {}).setdefault(fields["answer"], [])
        cast("list[dict[str, Any]]", here).append(row)

    def is_incomplete(self, record: Record) -> bool:
        return record.result["score"] is None

    def finish_reading(self, judged: Judged) -> None:
        """Sort the verdicts by the order of the report."""
        for rows in judged.others.get(self.name, {}).values():
            cast("list[RepetitionRow]", rows).sort(key=lambda row: row["place"])

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        report = desk.answer(unit.spec["answer"]).report
        both = pair_of(report, desk.protocol.passages, *unit.spec["place"])
        return Estimate(sum(len(one.shown) for one in both) + 2300, 220)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer.key, f"passages {row['place'][0] + 1} and {row['place'][1] + 1}"): row["score"]
            for answer in judged.answers
            for row in repetition_of(judged, answer.key) or ()
        }


REPETITION_TASK = RepetitionTask()


class PassagePair(NamedTuple):
    """The pair of passages of one request."""

    prompt: str
    first: str
    second: str
    about: tuple[str, ...] = ()


async def judge_pair(judge: Examiner, prompts: Prompts, pair: PassagePair) -> PassagePairVerdict:
    """Return the verdict on a pair; raise `ModelFailure` if there is no usable answer at all."""
    asking = pair_asking(prompts, pair)
    found = _verdict_with_quotations(await judge.answer(asking), asking)
    if not found["unfounded"] and found["score"] is not None:
        return found
    try:
        again = pair_asking(prompts, pair, found["unfounded"])
        second = _verdict_with_quotations(await judge.answer(again), again)
    except ModelFailure as failure:
        if failure.transient or failure.fatal:
            raise
        return found
    return second if second["score"] is not None or found["score"] is None else found


_AGAIN = "You compared them before. These words, quoted then, do not stand in the passage as quoted; quote only what stands there:"


def pair_asking(
    prompts: Prompts, pair: PassagePair, unfounded: Sequence[str] | None = None
) -> Asking[RepetitionAnswer]:
    """Build the request about a pair. With `unfounded` it is the second one, which lists quotations of the first that were not found."""
    sections = [
        Section("passage", pair.first, "Passage A:", about="first", report=True),
        Section("passage", pair.second, "Passage B:", about="second", report=True),
    ]
    if unfounded is not None:
        listed = "\n".join(unfounded) or "(none, although the score says that something is repeated)"
        sections.append(Section("quoted", listed, _AGAIN))
    messages = conversation(prompts.fill(pair.prompt), sections)
    return Asking(REPETITION, RepetitionAnswer, messages, tuple(sections), pair.about)


def _verdict_with_quotations(answer: RepetitionAnswer, asking: Asking[Any]) -> PassagePairVerdict:
    """Return the verdict after looking the quotations up. A score below 4 needs at least one pair of quotations that is found."""
    texts = [_without_marks(one.shown) for one in asking.sections[:2]]
    found, unfounded = list[RepeatedWords](), list[str]()
    for one in answer.repetitions:
        pairs = zip((one.first, one.second), texts, strict=True)
        lost = [quote for quote, text in pairs if locate(_without_marks(quote), text) is None]
        unfounded += [quote[:_QUOTED] or "(nothing)" for quote in lost]
        if not lost:
            found.append(RepeatedWords(first=one.first, second=one.second))
    lacks = answer.score < TOP and not found
    reason = "no quotation shows what is repeated, also when asked for it once more" if lacks else ""
    score, explained = None if lacks else answer.score, answer.explanation
    return PassagePairVerdict(
        score=score, explanation=explained, repetitions=found, unfounded=unfounded, reason=reason
    )


def _without_marks(text: str) -> str:
    """Return a text without emphasis marks, which judges often leave out of quotations."""
    return text.replace("*", "").replace("_", "").replace("`", "")


MOST = 30
ALIKE = 10
"""Number of pairs taken as the most alike by their words; the others are drawn by lot."""
BANDS = 5


class DrawnPair(NamedTuple):
    first: int
    second: int
    stands_for: float
    """Number of the report's pairs that this pair represents; 1 if it was not drawn by lot."""


@lru_cache(maxsize=1024)
def drawn_pairs(report: str, form: PassageForm, seed: int) -> tuple[DrawnPair, ...]:
    """Return the pairs to judge, in the order of the report. Bands of distance between passages give equal numbers of pairs if possible."""
    from drr.papers.reporteval.judging.passages import passages_of

    passages = passages_of(report, form)
    every = [(i, j) for j in range(len(passages)) for i in range(j)]
    if len(every) <= MOST:
        return tuple(sorted(DrawnPair(i, j, 1.0) for i, j in every))
    names, found = [text_hash(one.text) for one in passages], list[DrawnPair]()
    alike = most_alike([one.text for one in passages])[:ALIKE] if form != "sections" else []
    found += [DrawnPair(i, j, 1.0) for i, j in alike]
    rest = sorted(set(every).difference(alike), key=lambda pair: (pair[1] - pair[0], pair))
    printed = form == "sections"  # by lot alone
    many, bands = min(MOST if printed else MOST - ALIKE, len(rest)), 1 if printed else BANDS
    for band in range(bands):
        here = rest[len(rest) * band // bands : len(rest) * (band + 1) // bands]
        wanted = many * (band + 1) // bands - many * band // bands
        lots = {pair: text_hash(f"{seed} {names[pair[0]]} {names[pair[1]]}") for pair in here}
        found += [
            DrawnPair(*pair, len(here) / wanted) for pair in sorted(here, key=lots.__getitem__)[:wanted]
        ]
    return tuple(sorted(found))


def pair_of(report: str, form: PassageForm, first: int, second: int) -> tuple[ReportPassage, ReportPassage]:
    from drr.papers.reporteval.judging.passages import passages_of

    passages = passages_of(report, form)
    return passages[first], passages[second]

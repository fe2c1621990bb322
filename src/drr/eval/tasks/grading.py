"""Tasks that judge whole reports: ratings, pairwise comparisons and failure labels, with their prompts and criteria."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal, cast

from drr.eval.asking.conversation import Asking, Form, Section, conversation, conversation_with_prefix
from drr.eval.asking.forms import (
    FailuresAnswer,
    PaperPreferenceAnswer,
    PaperRatingAnswer,
    PreferenceAnswer,
    RatingAnswer,
    plain_name,
)
from drr.eval.asking.judge import Examiner, ask_by_id
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.quotations import locate
from drr.eval.labels import DIMENSION_TITLES, DIMENSIONS, Dimension, pair_id
from drr.eval.tasks.citation_rows import FailureRow, FailuresResult, PreferenceResult, RatingResult
from drr.eval.tasks.desk import Estimate, JudgingContext, Pair, Planned, Task, text_id
from drr.eval.tasks.judgements import Judged, Verdict
from drr.eval.tasks.protocol import OURS, Ask, JudgingProtocol
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.study.unit import LEFT_OUT, Outcome, Record, Unit
from drr.wording.currency import DOLLARS, Currency

_UNKNOWN = "Nothing is known of this shopper."


@dataclass(frozen=True)
class Graded:
    """A question as a judge of quality is shown it."""

    query: str
    profile: str
    """The profile summary as text; empty where the shopper is unknown."""
    shop_url: str
    intro: str = "The question:"
    money: Currency = DOLLARS

    def asking(
        self,
        task: str,
        form: type[Form],
        system: str,
        answers: Iterable[Section],
        about: tuple[str, ...],
        dimension: Dimension | None = None,
        criteria: str = "",
        *,
        again: bool = True,
    ) -> Asking[Form]:
        """Build one request to the judge: the shopper's profile, the question, the answers, then the criteria.

        Up to the first answer it begins as other requests do; where they are all about this one, up to the criteria.
        """
        sections = (
            Section("profile", self.profile or _UNKNOWN, "The shopper's profile summary:"),
            Section("question", self.query, self.intro),
            *answers,
        )
        messages = (
            conversation_with_prefix(system, sections[:3], sections[3:], criteria, again=again)
            if criteria
            else conversation(system, sections)
        )
        known = bool(self.profile)
        return Asking(task, form, messages, sections, about, dimension, self.shop_url, known, self.money)


def one_answer(report: str) -> tuple[Section, ...]:
    return (Section("answer", report, "The answer:", report=True),)


def both_answers(first: str, second: str) -> tuple[Section, ...]:
    return (
        Section("answer_a", first, "Answer A:", report=True),
        Section("answer_b", second, "Answer B:", report=True),
    )


def graded_question(desk: JudgingContext, answer: Answer) -> Graded:
    about = answer.query, desk.profile(answer.user_id), desk.shop_url
    return Graded(*about, desk.question_intro, desk.money)


def criterion_name(dimension: Dimension, protocol: JudgingProtocol = OURS) -> str:
    """Return the name of the prompt file that defines the dimension."""
    return f"{protocol.criteria}_{dimension}"


class DimensionTask(Task[Planned]):
    """A task that asks once for each dimension, each time with prompts of that dimension."""

    @abstractmethod
    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask: ...

    def prompts(self, protocol: JudgingProtocol, dimension: Dimension) -> tuple[str, str]:
        """Return the names of the two prompt files for this dimension: the instructions and the criterion."""
        return self.ask(protocol, dimension).prompt, criterion_name(dimension, protocol)

    version = 2

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        return {
            f"{self.name}/{dimension}": desk.version(
                self.version, self.role, *self.prompts(desk.protocol, dimension)
            )
            for dimension in DIMENSIONS
        }

    def part(self, fields: Mapping[str, Any]) -> str:
        return f"{self.name}/{fields['dimension']}" if "dimension" in fields else self.name

    def asking(
        self,
        prompts: Prompts,
        protocol: JudgingProtocol,
        dimensions: Sequence[Dimension],
        graded: Graded,
        answers: tuple[Section, ...],
        about: tuple[str, ...],
        *,
        again: bool = True,
    ) -> Asking[Any]:
        """Build a request about these dimensions. Their criteria stand at its end, or in the instructions where those have a place for one."""
        ask = self.ask(protocol, dimensions[0])
        prompt = prompts[ask.prompt]
        texts = {one: prompts[criterion_name(one, protocol)].text.strip() for one in dimensions}
        context = {
            "shop_url": graded.shop_url,
            "criterion_name": DIMENSION_TITLES[dimensions[0]],
            "criterion": texts[dimensions[0]],
        }
        system = prompt.fill(**{slot: context[slot] for slot in prompt.slots})
        # `plain_name` undoes what is done here with a dimension's name.
        named = ((one.replace("_", " ").capitalize(), text) for one, text in texts.items())
        listed = "\n\n".join(f"**{name}**: {text}" for name, text in named)
        criteria = "" if protocol.criterion_first else f"Criteria:\n\n{listed}"
        dimension = dimensions[0] if len(dimensions) == 1 else None
        return graded.asking(self.name, ask.form, system, answers, about, dimension, criteria, again=again)


class RatingTask(DimensionTask[Answer]):
    name = "rating"
    subject = "answer"
    metrics = ("quality",)

    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask:
        ask = protocol.ask(f"{self.name}/{dimension}", self.name)
        assert ask is not None
        return ask

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        for dimension in DIMENSIONS:
            fields = {
                "answer": about.key,
                "dimension": dimension,
                "prompt": _rating_asking(desk, about, dimension).fingerprint,
            }
            spec = {"answer": about.key, "dimension": dimension}
            yield self.unit(desk, f"{dimension} \u00b7 {about.label}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        asking = _rating_asking(desk, desk.answer(spec["answer"]), spec["dimension"])
        return Outcome({**await rate(judge, asking)})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        value = record.result.get("rating") if record.done else None
        verdict = Verdict[int](value, record.result.get("justification"), record.reason)
        judged.ratings.setdefault(fields["answer"], {})[fields["dimension"]] = verdict

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        answer = desk.answer(unit.spec["answer"])
        begun = len(answer.report) + len(desk.profile(answer.user_id)) + len(answer.query) + 2500
        return Estimate(begun + 500, 150, begun=begun, reads=unit.spec["dimension"] != DIMENSIONS[0])

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (answer, dimension): verdict.value
            for answer, found in judged.ratings.items()
            for dimension, verdict in found.items()
        }


RATING = RatingTask()


def _rating_asking(desk: JudgingContext, answer: Answer, dimension: Dimension) -> Asking[Any]:
    return rating_asking(
        desk.prompts,
        desk.protocol,
        dimension,
        graded_question(desk, answer),
        answer.report,
        about=(answer.key,),
    )


def rating_asking(
    prompts: Prompts,
    protocol: JudgingProtocol,
    dimension: Dimension,
    graded: Graded,
    answer: str,
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    return RATING.asking(prompts, protocol, [dimension], graded, one_answer(answer), about)


async def rate(judge: Examiner, asking: Asking[Any]) -> RatingResult:
    answer = await judge.answer(asking)
    assert isinstance(answer, RatingAnswer | PaperRatingAnswer)
    return {"rating": answer.rating, "justification": answer.justification}


_PLACE: Mapping[str, Literal["first", "second", "tie"]] = {"A": "first", "B": "second", "tie": "tie"}


class PairwiseTask(DimensionTask[Pair]):
    name = "pairwise"
    subject = "pair"

    def ask(self, protocol: JudgingProtocol, dimension: Dimension) -> Ask:
        return protocol.asks[self.name]

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Add the version of a request about all dimensions."""
        names = dict.fromkeys(name for one in DIMENSIONS for name in self.prompts(desk.protocol, one))
        every = desk.version(self.version, self.role, *names)
        return {**super().versions(desk), **({self.name: every} if desk.protocol.together else {})}

    def plan(self, desk: JudgingContext, about: Pair, judged: Judged) -> Iterable[Unit]:
        for dimension in (None,) if desk.protocol.together and not desk.all_pairs else DIMENSIONS:
            for first, second in _orders(about, dimension, both=desk.protocol.both_orders):
                spec = {"first": first.key, "second": second.key}
                spec |= {} if dimension is None else {"dimension": dimension}
                fields = {**spec, "prompt": _pair_asking(desk, spec).fingerprint}
                label = f"{dimension or 'pair'} \u00b7 {first.query_id} \u00b7 {first.variant} then {second.variant} \u00b7 {first.trial}"
                yield self.unit(desk, label, fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Judge one order. A unit about one dimension has its winner, one about all a row for each that was not left out twice."""
        if "dimension" in spec:
            found = await preference(judge, _pair_asking(desk, spec))
            return Outcome({"preferences": {}} if found is None else {**found})
        names = {plain_name(one): one for one in DIMENSIONS}

        def asking(some: Sequence[str]) -> Asking[Any]:
            return _pair_asking(desk, spec, [names[name] for name in some])

        each = await ask_by_id(judge, list(names), len(names), asking, attrgetter("winner"))
        return Outcome({"preferences": {names[name]: _preferred(one) for name, one in each.items()}})

    def read(self, record: Record, judged: Judged) -> None:
        fields = record.key_fields
        if fields["first"] not in judged.by_key or fields["second"] not in judged.by_key:
            return
        judged.failed[self.name] += record.done and self.is_incomplete(record)
        rows = record.result.get("preferences", dict.fromkeys(_dimensions(fields), record.result))
        for dimension in _dimensions(fields):
            row = rows.get(dimension, {})
            reason = record.reason if not record.done or row else LEFT_OUT
            verdict = Verdict[str](row.get("winner"), row.get("justification"), reason)
            judged.pairs[fields["first"], fields["second"], dimension] = verdict

    def is_incomplete(self, record: Record) -> bool:
        wanted = _dimensions(record.key_fields)
        return len(record.result.get("preferences", wanted)) < len(wanted)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        answers = [desk.answer(unit.spec[side]) for side in ("first", "second")]
        size = sum(len(one.report) for one in answers) + len(desk.profile(answers[0].user_id)) + 2300
        count = len(_dimensions(unit.spec))
        return Estimate(size + 450 * count, 80 * count)

    def values(self, judged: Judged) -> Mapping[tuple[str, str], str | int | None]:
        return {
            (f"{first}\0{second}", dimension): verdict.value
            for (first, second, dimension), verdict in judged.pairs.items()
        }


PAIRWISE = PairwiseTask()


def _dimensions(fields: Mapping[str, Any]) -> Sequence[Dimension]:
    return (fields["dimension"],) if "dimension" in fields else DIMENSIONS


def _orders(pair: Pair, dimension: Dimension | None, *, both: bool) -> list[Pair]:
    """Return the pair in both orders, or in one order drawn by lot."""
    first, second = pair
    if both:
        return [(first, second), (second, first)]
    lot = text_id(f"{pair_id(first.query_id, first.variant, second.variant, first.trial)}\0{dimension}")
    return [(second, first) if int(lot, 16) % 2 else (first, second)]


def _pair_asking(
    desk: JudgingContext, spec: Mapping[str, Any], dimensions: Sequence[Dimension] = ()
) -> Asking[Any]:
    first, second = desk.answer(spec["first"]), desk.answer(spec["second"])
    return comparison_asking(
        desk.prompts,
        desk.protocol,
        dimensions or _dimensions(spec),
        graded_question(desk, first),
        (first.report, second.report),
        about=(first.key, second.key),
    )


def comparison_asking(
    prompts: Prompts,
    protocol: JudgingProtocol,
    dimensions: Sequence[Dimension],
    graded: Graded,
    answers: tuple[str, str],
    *,
    about: tuple[str, ...] = (),
) -> Asking[Any]:
    """Build the request to compare two answers; the first is shown as answer A."""
    return PAIRWISE.asking(prompts, protocol, dimensions, graded, both_answers(*answers), about, again=False)


async def prefer(judge: Examiner, asking: Asking[Any]) -> PreferenceResult:
    """Ask the judge on one dimension and return the winner by its place in the prompt."""
    found = await preference(judge, asking)
    if found is None:
        raise ModelFailure("malformed", f"the judge does not answer on {asking.dimension}")
    return found


async def preference(judge: Examiner, asking: Asking[Any]) -> PreferenceResult | None:
    """Ask the judge on one dimension as `prefer` does; `None` where two answers are on another."""
    if asking.form is PaperPreferenceAnswer:
        return _preferred(await judge.answer(asking))
    found = await ask_by_id(
        judge, [plain_name(asking.dimension or "")], 1, lambda _: asking, attrgetter("winner")
    )
    return _preferred(*found.values()) if found else None


def _preferred(answer: PreferenceAnswer | PaperPreferenceAnswer) -> PreferenceResult:
    return {"winner": _PLACE[answer.winner], "justification": answer.justification}


class FailuresTask(Task[Answer]):
    name = "failures"
    subject = "answer"

    def plan(self, desk: JudgingContext, about: Answer, judged: Judged) -> Iterable[Unit]:
        ask = desk.protocol.ask(self.name)
        if ask is not None:
            fields = {"answer": about.key, "prompt": _failures_asking(desk, about, ask).fingerprint}
            yield self.unit(desk, f"failures \u00b7 {about.label}", fields, {"answer": about.key})

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        """Keep the labels whose quoted example is in the report. The other labels are listed as unfounded."""
        answer = desk.answer(spec["answer"])
        given = await judge.answer(_failures_asking(desk, answer, desk.protocol.asks[self.name]))
        assert isinstance(given, FailuresAnswer)
        found: dict[str, FailureRow] = {}
        unfounded: list[str] = []
        for failure in given.failures:
            span = locate(failure.example, answer.report)
            if span is None:
                unfounded.append(failure.label)
            else:
                row: FailureRow = {"label": failure.label, "start": span.start, "end": span.end}
                found.setdefault(failure.label, row)
        return Outcome({"failures": list(found.values()), "unfounded": unfounded})

    def read(self, record: Record, judged: Judged) -> None:
        if record.done:
            judged.failures[record.key_fields["answer"]] = cast("FailuresResult", record.result)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate:
        return Estimate(len(desk.answer(unit.spec["answer"]).report) + 3500, 300)


FAILURES = FailuresTask()


def _failures_asking(desk: JudgingContext, answer: Answer, ask: Ask) -> Asking[Any]:
    system = desk.prompts.fill(ask.prompt, shop_url=desk.shop_url)
    return graded_question(desk, answer).asking(
        "failures", ask.form, system, one_answer(answer.report), (answer.key,)
    )

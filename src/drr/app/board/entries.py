"""Defines the bundles and systems on a board. Every bundle is verified first, and a failed bundle has no systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import NamedTuple, cast

from drr.agents.base import TIMES_LEAST, tight_calls
from drr.app.bundles.answers import all_contained, half_of, has_public_truth
from drr.app.bundles.findings import BundleFindings, Reproduced
from drr.app.report.by_field import system_groups
from drr.app.report.cost import dollars
from drr.app.report.failing import errors_of
from drr.app.report.study_report import every_figure
from drr.env.checkable import Checkable
from drr.env.json_object import JsonObject
from drr.env.person_setting import agent_of
from drr.eval.asking.rules import CODE
from drr.eval.evidence.answers import Answer, read_answers
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.metrics import families_with, metrics
from drr.eval.metrics.base import Metric
from drr.eval.metrics.compare import ValueTable
from drr.eval.metrics.rows import GroupDocument, JudgeRow, StudyDocument
from drr.eval.stats.intervals import ByQuestion, VRow
from drr.eval.stats.question import AskedQuestion
from drr.eval.tasks.judgements import Judged
from drr.study.bundle.parcel import UnpackedBundle
from drr.study.study import Study
from drr.study.unit import canonical_json
from drr.study.units import AnswerTally
from drr.wording.excerpt import excerpt, many
from pydantic import BaseModel

LONGEST_NAME = 80
_OF_LEVELS = ("points", "solved", "pass_4", "tool_calls")
"""Metrics whose values a set with levels shows by level."""


@dataclass(frozen=True, kw_only=True)
class ListedBundle:
    """A submitted bundle with the findings of its verification."""

    key: str
    """Start of the file's hash, which names the bundle's pages."""
    name: str
    found: BundleFindings

    @property
    def signers(self) -> list[str]:
        """Return the signatures that count: those by keys that the board's owner names."""
        return [f"{one['role']} {one['key'][:8]}" for one in self.found.signed if one["known"]]


class StatedScore(BaseModel):
    """The part of `drr judges scorecard --json` that a board reads."""

    judge: str
    measured: str = "accuracy in its scorecard, of an older version"
    weak: str | None


class SetVersion(NamedTuple):
    """The questions and shops that systems must share to stand on one page of the board."""

    label: str
    """Name of the frozen question set that the bundle states; empty if none."""
    questions: str
    """Hash of the questions."""
    asked: int
    shops: Sequence[str]
    of: str = ""
    """The shipped set with a sealed half, of which these questions are a part; empty for others."""
    sealed: bool = False
    """True for a part of the sealed half."""

    @property
    def key(self) -> str:
        return sha256(canonical_json(list(self)).encode()).hexdigest()[:12]

    @property
    def title(self) -> str:
        name = excerpt(self.label, LONGEST_NAME) or many(self.asked, "question")
        return name if self.questions[:8] in name else f"{name} · {self.questions[:8]}"


@dataclass(frozen=True, kw_only=True)
class ListedSystem:
    """One system of a bundle, with its figures by one judge."""

    key: str
    bundle: ListedBundle
    variant: str
    models: Sequence[str]
    """Names of models, the one that wrote most tokens first."""
    set: SetVersion
    judge: JudgeRow | None
    written_by_rules: bool
    figures: Mapping[str, VRow]
    values: Mapping[str, ByQuestion[AskedQuestion]]
    """Values of each question's trials, by metric that can rank."""
    dollars: VRow
    """Mean cost of an answer."""
    answers: AnswerTally
    made_by: str
    code: str
    """Hash of the program's code that made the bundle, as the maker states it."""
    ended: float
    """Unix time at which the last answer ended."""
    contained: bool | None
    """True if no code of the agent's could reach the truth, as the maker states it; `None` for imported answers."""
    truth_is_public: bool
    """True if anybody can have the questions' true answers."""
    standing: str
    """The sentence on who leads the bundle's own study."""
    sealed: Mapping[str, ByQuestion[AskedQuestion]] = field(default_factory=dict)
    """Values on the sealed half of the set, by metric, where a bundle of the same system has them."""
    groups: GroupDocument | None = None
    """Figures by a field of the question, where the board asks for one that its questions have."""
    weak: str | None = None
    """Sentence in which the bundle calls its judge a weak one."""
    levels: Mapping[AskedQuestion, int] = field(default_factory=dict)
    """Level of each question, those of the sealed half too; empty where the set has none."""
    errors: tuple[int, int] | None = None
    """Wrong facts that rules found, and the answers that they read; `None` where they read none."""
    tight: bool = False
    """True for a run under the tight limit of calls, which has a ranking of its own."""
    tight_solved: ByQuestion[AskedQuestion] = field(default_factory=dict)
    """Values of `solved` in the run of the same system under the tight limit, where a bundle has one."""

    @property
    def judges_itself(self) -> bool:
        return self.judge is not None and not self.written_by_rules and self.judge["name"] in self.models

    @property
    def architecture(self) -> str:
        return agent_of(self.variant)

    @property
    def reproduced(self) -> Sequence[Reproduced]:
        """Return the reproductions of this system, signed by keys that the board's owner names."""
        named = (one for one in self.bundle.found.signed if one["known"] and "reproduced" in one)
        return [one["reproduced"] for one in named if one["reproduced"]["variant"] == self.variant]

    @property
    def tokens(self) -> float | None:
        """Mean number of tokens read and written for an answer."""
        read, written = self.value("input_tokens"), self.value("output_tokens")
        return None if read is None or written is None else read + written

    @property
    def shown_figures(self) -> list[tuple[Metric, VRow]]:
        """Return the known figures with their metrics, in the standard order."""
        rows = ((metric, self.figures[name]) for name, metric in metrics(self.figures).items())
        return [(metric, row) for metric, row in rows if row["value"] is not None]

    def value(self, metric: str) -> float | None:
        row = self.figures.get(metric)
        return None if row is None else row["value"]


def systems_of(
    bundle: ListedBundle,
    parcel: UnpackedBundle,
    study: Study,
    ranking: Sequence[str],
    *,
    is_published: bool,
    group_by: str | None = None,
) -> Iterator[ListedSystem]:
    """Yield the systems of an unpacked, consistent bundle, with figures made again. `ranking` are the metrics that can rank."""
    manifest = parcel.manifest()
    run = parcel.study()["config"].get("run", {})
    label, is_tight = str(run.get("set") or ""), TIMES_LEAST in run.get("limits", {})
    tallies = {one.variant: one for one in study.ledger.units.answer_tallies()}
    answers: dict[str, list[Answer]] = {}
    for answer in read_answers(study):
        answers.setdefault(answer.variant, []).append(answer)
    truths = _truths(answers)
    levels = {asked: one.level for asked, one in truths.items() if one.level}
    wanted = {*ranking, *(_OF_LEVELS if levels else ())}
    documents = cast(Mapping[str, StudyDocument], every_figure(study)["documents"])
    by_model = {judge: one for judge, one in documents.items() if _is_by_model(one)}
    shown = sorted(by_model.items()) or sorted(documents.items())[:1]
    for place, (judge, document) in enumerate(shown):
        judged = read_judged(study, choose_judging(study, judge or None))
        each = ValueTable(judged, families_with(judged, wanted))
        shops = tuple(document["provenance"]["shop"])
        answered = SetVersion(label, manifest["set_sha256"], manifest["questions"], shops, *half_of(label))
        for number, variant in enumerate(sorted(document["metrics"].keys() & answers.keys())):
            own, known = answers[variant], wanted & _standing(document, variant).keys()
            values = {name: one for name, one in each.values(variant).items() if name in known}
            ranks = {name: values[name] for name in ranking if name in values}
            yield ListedSystem(
                key=f"{bundle.key}-{place}-{number}",
                bundle=bundle,
                variant=variant,
                models=_models(own),
                set=answered,
                judge=document["judge"] if by_model else None,
                written_by_rules=any(one.rule_written for one in own),
                figures=_standing(document, variant),
                values=values,
                groups=system_groups(own, group_by, variant, ranks),
                dollars=dollars(own).document(),
                answers=tallies[variant],
                made_by=manifest["made_by"],
                code=manifest["code"],
                ended=max(one.record.finished_at for one in own),
                contained=all_contained([one.record for one in own]),
                truth_is_public=has_public_truth(study, is_published=is_published),
                standing=document["standing"]["text"],
                weak=judged.judging.weak if judged.judging and by_model else None,
                levels=levels,
                errors=_errors(judged, own),
                tight=is_tight and _keeps_tight(truths, values.get("tool_calls", {})),
            )


def _truths(answers: Mapping[str, Sequence[Answer]]) -> dict[AskedQuestion, Checkable]:
    every = (one for own in answers.values() for one in own)
    return {one.asked: one.question.checkable for one in every if one.question and one.question.checkable}


def with_sealed_halves(systems: Sequence[ListedSystem]) -> list[ListedSystem]:
    """Add to each system of an open half its values on the sealed one.

    Bundles are of the same system where set, variant, models, maker, judge and limit agree, and each part has one.
    """
    same: dict[object, list[ListedSystem]] = {}
    for one in systems:
        same.setdefault((one.set.of, one.tight, *_identity(one)), []).append(one)
    found = dict[str, ListedSystem]()
    for own in same.values():
        if own[0].set.of and len({one.set for one in own}) == len(own):
            halves = [one for one in own if one.set.sealed]
            names = {name for one in halves for name in one.values}
            values = {
                name: {q: x for one in halves for q, x in one.values.get(name, {}).items()} for name in names
            }
            levels = {q: level for one in own for q, level in one.levels.items()}
            found |= {
                one.key: replace(one, sealed=values, levels=levels) for one in own if not one.set.sealed
            }
    return [found.get(one.key, one) for one in systems]


def with_tight_runs(systems: Sequence[ListedSystem]) -> list[ListedSystem]:
    """Add to each system what the one run of the same system under the tight limit solved."""
    same: dict[object, list[ListedSystem]] = {}
    for one in systems:
        if one.tight:
            same.setdefault((one.set, *_identity(one)), []).append(one)
    alone = {key: own[0].values.get("solved", {}) for key, own in same.items() if len(own) == 1}
    return [
        one if one.tight else replace(one, tight_solved=alone.get((one.set, *_identity(one)), {}))
        for one in systems
    ]


def _identity(one: ListedSystem) -> tuple[object, ...]:
    """Return what bundles of one system have in common: variant, models, maker and judge."""
    makers = tuple(row["key"] for row in one.bundle.found.signed if row["role"] == "maker")
    judge = one.judge and (one.judge["name"], one.judge["id"], one.judge["protocol"])
    return one.variant, tuple(one.models), makers, judge


def _keeps_tight(truths: Mapping[AskedQuestion, Checkable], calls: ByQuestion[AskedQuestion]) -> bool:
    """Tell whether no answer has more calls of tools than the tight limit allows, whatever its maker says."""

    def keeps(asked: AskedQuestion, made: Iterable[float | None]) -> bool:
        least = truths[asked].least if asked in truths else None
        return least is not None and all(one is not None and one <= tight_calls(least) for one in made)

    return all(keeps(asked, made) for asked, made in calls.items())


def _is_by_model(document: StudyDocument) -> bool:
    """Tell whether a model judged. Figures of rules, or of code where nobody judged, are no measurement by a judge."""
    judge = document["judge"]
    return judge is not None and not judge["rule_written"] and judge["name"] != CODE


def _standing(document: StudyDocument, variant: str) -> Mapping[str, VRow]:
    """Return the figures that may stand on a board. Without a model's judging these take no judge."""
    rows = document["metrics"][variant]
    if _is_by_model(document):
        return rows
    return {name: rows[name] for name, one in metrics(rows).items() if not one.judged}


def _errors(judged: Judged, answers: Sequence[Answer]) -> tuple[int, int] | None:
    read = [one for one in answers if judged.rules.get(one.key) is not None]
    return (sum(len(errors_of(judged, one)) for one in read), len(read)) if read else None


def _models(answers: Sequence[Answer]) -> list[str]:
    wrote = Counter[str]()
    for answer in answers:
        for row in answer.usage.values():
            wrote[row["model"]] += row["output_tokens"]
    return [name for name, _ in sorted(wrote.items(), key=lambda item: (-item[1], item[0]))]


def day_of(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).date().isoformat()


def index_row(system: ListedSystem) -> JsonObject:
    """Return the row of a system in `index.json`."""
    return {
        "key": system.key,
        "bundle": system.bundle.found.root,
        "variant": system.variant,
        "architecture": system.architecture,
        "models": list(system.models),
        "tier": system.bundle.found.tier,
        "signed": system.bundle.signers,
        "answers": {"done": system.answers.done, "asked": system.answers.units},
        "dollars": system.dollars,
        "tokens": system.tokens,
        "errors": system.errors and {"found": system.errors[0], "answers": system.errors[1]},
        "submitted_on": day_of(system.ended),
        "code": system.code,
        "contained": system.contained,
        "truth_is_public": system.truth_is_public,
        "reproduced": list(system.reproduced),
        "metrics": dict(system.figures),
        **({} if system.groups is None else {"by": cast("JsonObject", system.groups)}),
    }

"""The data that all tables and figures of a report are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from drr.app.report.contrasts import ByQuery, Contrast, contrasts
from drr.env.files import file_name, short_name
from drr.eval.agreement.rows import AgreementDocument
from drr.eval.evidence.answers import Answer
from drr.eval.judging.read import repetitions
from drr.eval.metrics import values_of
from drr.eval.metrics.compare import ValueTable
from drr.eval.metrics.coverage import variants_of
from drr.eval.metrics.rows import StudyDocument
from drr.eval.stats.differences import RepetitionFloor
from drr.eval.stats.question import Comparison
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study
from drr.wording.excerpt import excerpt

LONGEST_NAME = 90
"""Most characters of a question or another name of a row."""


def question_of(answer: Answer) -> str:
    return excerpt(answer.query, LONGEST_NAME)


def answer_name(answer: Answer) -> str:
    return f"{question_of(answer)}, trial {answer.trial}"


@dataclass(frozen=True)
class ViewerLinks:
    """Links to the viewer's pages of answers. `viewer` is their path from the report's folder, `None` if unknown."""

    viewer: str | None = None

    def report(self, key: str) -> str:
        """Return the link from an answer page of the report to the viewer's page of that answer; empty if unknown."""
        return self._at(f"r/{short_name(key)}.html")

    def beside(self, one: Answer, two: Answer) -> str:
        """Return the link to the viewer's page with two answers side by side; empty if unknown."""
        sides = f"left={short_name(one.key)}&right={short_name(two.key)}"
        return self._at(f"q/{file_name(one.query_id)}.html?{sides}")

    def _at(self, page: str) -> str:
        if self.viewer is None:
            return ""
        return f"{self.viewer}/{page}" if "://" in self.viewer else f"../{self.viewer}/{page}"


@dataclass(frozen=True)
class ReportData:
    study: Study
    judged: Judged
    document: StudyDocument
    agreement: AgreementDocument | None = None
    """Agreement of models and people as judges; `None` where fewer than two judged."""
    paper: str | None = None
    """Name of the paper whose numbering of tables is used."""
    viewer: str | None = None
    """Path of the viewer's pages, relative to the report's folder."""
    forms: Sequence[str] = ("svg", "png", "pdf")
    """File formats in which the report's figures are drawn or can be requested."""
    tested: Sequence[Contrast] | None = None
    """The paired differences of systems on each lead metric, where they are known already."""

    @property
    def banner(self) -> str | None:
        return self.document.get("banner")

    @property
    def by_rules(self) -> bool:
        judging = self.judged.judging
        return judging is not None and judging.rule_written

    @property
    def links(self) -> ViewerLinks:
        return ViewerLinks(self.viewer)

    @cached_property
    def variants(self) -> dict[str, list[Answer]]:
        return variants_of(self.judged)

    @cached_property
    def asked(self) -> dict[str, set[str]]:
        """Return the questions that were put to each variant, including those that the variant failed."""
        found: dict[str, set[str]] = {variant: set() for variant in self.variants}
        for record in self.study.records("answer", None):
            found.get(str(record.spec["variant"]), set()).add(str(record.spec["query_id"]))
        return found

    @cached_property
    def failed(self) -> dict[str, Counter[str]]:
        """Return the number of failed answers, by variant and reason."""
        found: dict[str, Counter[str]] = {}
        for record in self.study.records("answer", None):
            if record.reason is not None:
                found.setdefault(str(record.spec["variant"]), Counter())[record.reason] += 1
        return found

    @cached_property
    def mixed(self) -> str | None:
        """Return a warning where variants were asked different questions, so that means do not compare, else `None`."""
        # Failures alone also make sets of questions differ, so what was asked is compared too.
        answered = {frozenset(a.query_id for a in answers) for answers in self.variants.values()}
        if len(answered) < 2 or len({frozenset(queries) for queries in self.asked.values()}) < 2:
            return None
        counts = ", ".join(f"{variant} {len(queries)}" for variant, queries in self.asked.items())
        return f"The systems were not all asked the same questions ({counts}), so their means do not compare. `drr study compare` compares two on the questions that both answered."

    @cached_property
    def repetitions(self) -> list[Judged]:
        """Return the judge's verdicts from repeated judging runs on the same answers."""
        return repetitions(self.study, self.judged)

    def floor(self, metric: str) -> RepetitionFloor | None:
        """Return the noise floor of the metric: the difference that repeated runs alone can give; `None` if unknown."""
        return self.table.floor(metric)

    @cached_property
    def table(self) -> ValueTable:
        return ValueTable(self.judged, again=self.repetitions)

    @cached_property
    def _values(self) -> dict[str, Mapping[str, float | None]]:
        return {answer.key: values_of(self.judged, answer) for answer in self.judged.answers}

    def value(self, answer: Answer, metric: str) -> float | None:
        return self._values[answer.key].get(metric)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        return self.judged.comparisons()

    def per_report(self, metric: str) -> Mapping[str, ByQuery]:
        """Return the metric's values by variant and question, one for each trial."""
        return self.table.of(metric)

    @cached_property
    def contrasts(self) -> Sequence[Contrast]:
        """Return the paired differences of systems on each lead metric."""
        return contrasts(self.per_report) if self.tested is None else self.tested

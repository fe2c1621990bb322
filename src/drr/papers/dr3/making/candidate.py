"""The making of one candidate task from a person's own files, checked like a task on disk.

A model proposes facts, search terms, kinds of pages and the question.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from drr.env.drawer.content import FileContent
from drr.env.drawer.drawer import AttachedFiles
from drr.env.drawer.form import FileProblem
from drr.env.web.base import WebSearch
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel, Schema
from drr.papers.dr3.form import CorpusPage, CorpusSizes, FileQuestion, FrozenRow
from drr.papers.dr3.making.checking import problems_of
from drr.papers.dr3.making.corpus import FoundCorpus, FoundPage, TooFewPages, found_corpus, gather_pages
from drr.papers.dr3.making.manifest import WrittenTask, write_task
from drr.papers.dr3.making.proposals import (
    ProposedFacts,
    ProposedPage,
    ProposedQuestion,
    ProposedTerm,
    SearchPaths,
    TaskRequests,
    kept_facts,
    kept_terms,
    refusal_of,
)
from drr.papers.dr3.making.ranking import COUNTER, counted_sizes
from drr.papers.dr3.making.task_files import StoredTask, document_of
from drr.papers.dr3.truth import ChecklistPoint, FoundRecord, KnownPage, TaskFact, TaskTruth
from langchain_core.messages import BaseMessage

VERSION = "2"
"""Version of the checks and of the choice of pages, raised when the same answers give other tasks."""
MOST_FILES, QUESTIONS = 6, 4
"""Limits: files of one task, and questions tried for one candidate. Each new request for a question gives the objection to the last one."""
POINTS = (
    ("Joins what the files say with what pages say", "analysis"),
    ("Cites the files and the pages for what they say", "evidence"),
    ("Says which of the statements found are unconfirmed, outdated or of something else", "evidence"),
    ("Concludes with one plain result for each thing asked", "conclusion"),
    ("Shows the steps from the figures to the result", "analysis"),
    ("Keeps what the files say apart from what pages say", "evidence"),
)
"""Points in every checklist, besides the one for each fact."""


@dataclass(frozen=True)
class OwnFiles:
    """The files of one future task: all files of a folder, by name."""

    name: str
    drawer: AttachedFiles

    def contents(self) -> tuple[dict[str, FileContent], Counter[str]]:
        """Return the readable contents by name, and the count of files left out by reason. Pictures are left out: code reads no words in them."""
        found, left = {}, Counter[str]()
        for name in self.drawer.names:
            try:
                content = self.drawer.content(name)
            except FileProblem as problem:
                left[f"file_{problem.kind}"] += 1
                continue
            if content.picture is None:
                found[name] = content
            else:
                left["file_picture"] += 1
        return found, left


class FoundCandidate(FrozenRow):
    """The outcome of making one candidate. Without a `question` it was refused. The files stay in their folder."""

    refused: dict[str, int]
    told: str = ""
    """Reason of the last refusal."""
    question: FileQuestion | None = None
    pages: tuple[CorpusPage, ...] = ()
    sizes: CorpusSizes | None = None
    truth: TaskTruth | None = None

    def task(self, drawer: AttachedFiles, refused: Mapping[str, int]) -> WrittenTask:
        """Return the task as it will be written; `refused` counts the refusals of the candidates before."""
        assert self.question is not None and self.sizes is not None and self.truth is not None
        every = dict(Counter(self.refused) + Counter(refused))
        return WrittenTask(
            question=self.question,
            files={name: drawer.bytes_of(name) for name in self.question.files},
            pages=self.pages,
            sizes=self.sizes,
            truth=self.truth.model_copy(update={"refused": every}),
        )


@dataclass(frozen=True, kw_only=True)
class FoundTerms:
    """The settings that all candidates of a set share."""

    model: RoleModel
    web: WebSearch
    prompts: Prompts
    sizes: Mapping[str, int]
    seed: int
    today: str


class _Refused(Exception):
    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


async def found_candidate(terms: FoundTerms, files: OwnFiles, before: str = "") -> FoundCandidate:
    """Make one candidate; a refused one is returned, too. Raise `ModelFailure` or `WebUnavailable` if the work could not be done.
    `before` is the reason why the candidate before was refused."""
    search = _Search(terms, files, before, TaskRequests(terms.prompts, terms.today))
    try:
        return await search.candidate()
    except _Refused as error:
        search.refused[error.name] += 1
        return FoundCandidate(refused=dict(search.refused), told=str(error))


@dataclass
class _Search:
    terms: FoundTerms
    files: OwnFiles
    before: str
    asking: TaskRequests
    refused: Counter[str] = field(default_factory=Counter)
    facts: list[TaskFact] = field(default_factory=list)
    """Facts found in the files."""
    paths: list[ProposedTerm] = field(default_factory=list)

    async def candidate(self) -> FoundCandidate:
        left = await self._read_files()
        answer = await self._usable(self.asking.of_terms(self.facts, self.before), SearchPaths)
        self.paths = [] if answer is None else kept_terms(answer, (fact.value for fact in self.facts))
        if not any(one.role == "signal" for one in self.paths):
            raise _Refused("search", "no usable signal term was proposed")
        got, unread = await gather_pages(self.terms.web, self.paths)
        if not got:
            raise _Refused("search", "the searches gave no page that could be read")
        looked = await asyncio.gather(*map(self._with_proposal, got))
        pages = [one for one in looked if isinstance(one, FoundPage)]
        aside = Counter(f"proposal_{one}" for one in looked if isinstance(one, str))
        rng = Random(f"{self.terms.seed}/{self.files.name}/found")
        try:
            corpus = found_corpus(pages, self.facts, self.paths, self.terms.sizes, rng)
        except TooFewPages as error:
            raise _Refused("sizes", str(error)) from None
        if corpus is None:
            raise _Refused("supportive", "no page states a fact that a search term leads to")
        counts = Counter({"read": len(got)}) + left + unread + aside + corpus.left_out
        return await self._with_question(corpus, dict(sorted(counts.items())))

    async def _read_files(self) -> Counter[str]:
        """Find the facts of the files; return the count of files left out, by reason."""
        contents, left = self.files.contents()
        answers = await asyncio.gather(
            *(self._usable(self.asking.of_file(one), ProposedFacts) for one in contents.values())
        )
        proposed = {name: one for name, one in zip(contents, answers, strict=True) if one is not None}
        facts = kept_facts(proposed, contents)
        taken = list(dict.fromkeys(document_of(fact.places[0].address) for fact in facts))[:MOST_FILES]
        self.facts = [fact for fact in facts if document_of(fact.places[0].address) in taken]
        if not self.facts:
            raise _Refused("files", "of no file a fact was proposed that stands in it, and in no other")
        left["file_without_fact"] += len(contents) - len(taken)
        return +left

    async def _with_proposal(self, found: FoundPage) -> FoundPage | str:
        """Return a page with the model's accepted proposal, else the reason why the page is put aside."""
        if not found.signal:
            return found
        proposed = await self._usable(self.asking.of_page(self.facts, found.page), ProposedPage)
        if proposed is None:
            return "form"
        return refusal_of(proposed, found.page.text) or found.model_copy(update={"proposed": proposed})

    async def _with_question(self, corpus: FoundCorpus, counts: dict[str, int]) -> FoundCandidate:
        refused: list[str] = []
        for _ in range(QUESTIONS):
            asked = self.asking.of_question(self.facts, corpus.facts, self.paths, refused)
            answer = await self._usable(asked, ProposedQuestion)
            if answer is None:
                raise _Refused("question", "the model gave no question in the form that was asked for")
            made = self._candidate(corpus, counts, answer)
            with TemporaryDirectory(prefix="drr-task-") as place:
                task = write_task(Path(place), made.task(self.files.drawer, {}))
                problems = list(problems_of(StoredTask(task)))
            if not problems:
                return made
            for one in problems:
                if not one.of_question:
                    raise _Refused(one.check, one.told)
            refused = [one.told for one in problems]
            self.refused[problems[0].check] += 1
        raise _Refused("questions", f"{QUESTIONS} questions were refused, the last one: {refused[0]}")

    async def _usable(self, asked: Sequence[BaseMessage], schema: type[Schema]) -> Schema | None:
        """Ask for a structured answer; `None` if two answers could not be read."""
        try:
            return await self.terms.model.structured(asked, schema)
        except ModelFailure as failure:
            if failure.kind != "malformed":
                raise
            return None

    def _candidate(
        self, corpus: FoundCorpus, counts: dict[str, int], asked: ProposedQuestion
    ) -> FoundCandidate:
        facts, pages = (*self.facts, *corpus.facts), tuple(one.page for one in corpus.order)
        known = [
            *(
                KnownPage(url=one.places[0].address, kind="supportive", facts=(one.id,))
                for one in corpus.facts
            ),
            *(KnownPage(url=one.url, kind="distractor") for one in corpus.order if one.kind == "distractor"),
        ]
        truths, sizes = counted_sizes(self.terms.sizes, corpus.ends, pages, known)
        return FoundCandidate(
            refused=dict(self.refused),
            question=FileQuestion(
                task_id=self.files.name,
                query=" ".join(asked.query.split()),
                today=self.terms.today,
                files=tuple(dict.fromkeys(document_of(fact.places[0].address) for fact in self.facts)),
                rule_written=self.terms.model.rule_written,
            ),
            pages=pages,
            sizes=sizes,
            truth=TaskTruth(
                task_id=self.files.name,
                intent="own_files",
                theme="own files",
                seed=self.terms.seed,
                shop_hash="",
                facts=facts,
                pages=tuple(known),
                terms=corpus.terms,
                checklist=checklist(facts),
                sizes=truths,
                counter=COUNTER,
                answer=tuple(asked.how),
                found=FoundRecord(
                    model=self.terms.model.name,
                    web=self.terms.web.name,
                    proposals=corpus.proposals(),
                    pages=counts,
                ),
            ),
        )


def checklist(facts: Sequence[TaskFact]) -> tuple[ChecklistPoint, ...]:
    """Make the points by which an answer is checked; no point states a value. If there are many facts, those of a file share a point."""
    groups: dict[str, list[TaskFact]] = {}
    for fact in facts:
        key = fact.id if len(facts) <= 9 or fact.source == "page" else document_of(fact.places[0].address)
        groups.setdefault(key, []).append(fact)
    points = [
        ChecklistPoint(
            id=f"c{number}",
            requirement="States " + " and ".join(f"the {one.attribute} ({one.subject})" for one in group),
            category="content",
            decided_by="rule",
            facts=tuple(one.id for one in group),
        )
        for number, group in enumerate(groups.values(), 1)
    ]
    more = (
        ChecklistPoint.model_validate(
            {"id": f"c{number}", "requirement": text, "category": category, "decided_by": "judge"}
        )
        for number, (text, category) in enumerate(POINTS[: max(4, 8 - len(points))], len(points) + 1)
    )
    return (*points, *more)

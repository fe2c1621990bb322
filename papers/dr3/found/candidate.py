"""One candidate for a task of found pages. Its terms, pages, kinds and question are proposed by a model, and
all of it is checked as a task on disk is."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from drr.env.web.base import WebSearch
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel, Schema
from drr.papers.dr3.asking.checklist import found_checklist
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.pool import COUNTER
from drr.papers.dr3.drawer.writer import WrittenDrawer
from drr.papers.dr3.form import CorpusPage, CorpusSizes, FileQuestion, FrozenRow, line
from drr.papers.dr3.found.corpus import (
    FoundCorpus,
    FoundPage,
    GatheredPages,
    LookedAt,
    TooFewPages,
    found_corpus,
    gathered,
)
from drr.papers.dr3.found.proposals import (
    ProposedPage,
    ProposedQuestion,
    ProposedTerm,
    SearchPaths,
    kept_terms,
    page_messages,
    question_messages,
    refusal_of,
    terms_messages,
)
from drr.papers.dr3.making.checking import StoredTask, problems_of
from drr.papers.dr3.making.manifest import WrittenTask, write_task
from drr.papers.dr3.quality.material import Catalogue
from drr.papers.dr3.truth import (
    FoundRecord,
    KnownPage,
    PageProposal,
    TaskTruth,
    corpus_sizes,
    size_truths,
)
from langchain_core.messages import BaseMessage

VERSION = "1"
"""Version of the checks and of the choice of pages: raised when the same answers give other tasks."""
QUESTIONS = 4
"""Tried for one candidate: each is told what spoke against the one before."""
_OF_WORDS = frozenset(("question", "exposure", "novelty_question", "guidance"))
"""Checks that another question may pass."""


class FoundCandidate(FrozenRow):
    """The outcome of a unit. Without `question` it was refused; the files of the drawer are not in it, as a seed gives them again."""

    refused: dict[str, int]
    told: str = ""
    """The last reason."""
    question: FileQuestion | None = None
    pages: tuple[CorpusPage, ...] = ()
    sizes: CorpusSizes | None = None
    truth: TaskTruth | None = None

    def task(self, files: Mapping[str, bytes], refused: Mapping[str, int]) -> WrittenTask:
        """`refused`: of the candidates before it."""
        assert self.question is not None and self.sizes is not None and self.truth is not None
        every = dict(Counter(self.refused) + Counter(refused))
        return WrittenTask(
            question=self.question,
            files=dict(files),
            lines=tuple(map(line, self.pages)),
            sizes=self.sizes,
            truth=self.truth.model_copy(update={"refused": every}),
        )


@dataclass(frozen=True, kw_only=True)
class FoundTerms:
    """The terms that every candidate of a set shares."""

    model: RoleModel
    web: WebSearch
    prompts: Prompts
    sizes: Mapping[str, int]
    per_term: int
    seed: int
    shop_hash: str
    catalogue: Catalogue | None = None


class _Refused(Exception):
    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


async def found_candidate(terms: FoundTerms, drawer: WrittenDrawer) -> FoundCandidate:
    """`ModelFailure` and `WebUnavailable` where the work could not be done; what was refused is a candidate too."""
    refused: Counter[str] = Counter()
    try:
        return await _Search(terms, drawer, refused).candidate()
    except _Refused as error:
        refused[error.name] += 1
        return FoundCandidate(refused=dict(refused), told=str(error))


@dataclass
class _Search:
    terms: FoundTerms
    drawer: WrittenDrawer
    refused: Counter[str]

    @property
    def case(self) -> TaskCase:
        return self.drawer.case

    async def candidate(self) -> FoundCandidate:
        paths = await self._paths()
        got = await gathered(self.terms.web, paths, self.terms.per_term)
        if not got.pages:
            raise _Refused("search", "the searches gave no page that could be read")
        looked, aside = await self._looked(got)
        noise = [page for page in got.pages if not page.signal]
        rng = Random(f"{self.terms.seed}/{self.case.task_id}/{self.case.user_id}/found")
        try:
            corpus = found_corpus(looked, noise, paths, self.terms.sizes, rng)
        except TooFewPages as error:
            raise _Refused("sizes", str(error)) from None
        if corpus is None:
            raise _Refused("supportive", "no page states a fact that a search term leads to")
        counts = {"read": len(got.pages), **got.unread, **aside, **corpus.left_out}
        return await self._asked(corpus, looked, paths, counts)

    async def _paths(self) -> list[ProposedTerm]:
        answer = await self._usable(terms_messages(self.terms.prompts, self.case), SearchPaths)
        values = [fact.value for fact in self.case.of("file")]
        found = [] if answer is None else kept_terms(answer, values)
        if not any(one.role == "signal" for one in found):
            raise _Refused("search", "no usable signal term was proposed")
        return found

    async def _looked(self, got: GatheredPages) -> tuple[list[LookedAt], Counter[str]]:
        """The pages that signal terms led to, as the model takes them and code accepts."""

        async def look(found: FoundPage) -> LookedAt | str:
            asked = page_messages(self.terms.prompts, self.case, found.page)
            proposed = await self._usable(asked, ProposedPage)
            if proposed is None:
                return "form"
            return refusal_of(proposed, found.page.text) or LookedAt(found, proposed)

        answers = await asyncio.gather(*(look(page) for page in got.pages if page.signal))
        aside = Counter(f"proposal_{one}" for one in answers if isinstance(one, str))
        return [one for one in answers if isinstance(one, LookedAt)], aside

    async def _asked(
        self,
        corpus: FoundCorpus,
        looked: Sequence[LookedAt],
        paths: Sequence[ProposedTerm],
        counts: dict[str, int],
    ) -> FoundCandidate:
        refused: list[str] = []
        for _ in range(QUESTIONS):
            asked = question_messages(self.terms.prompts, self.case, corpus.facts, paths, refused)
            answer = await self._usable(asked, ProposedQuestion)
            if answer is None:
                raise _Refused("question", "the model gave no question in the form that was asked for")
            made = self._made(corpus, looked, counts, answer)
            problems = _problems(made.task(self.drawer.files, {}), self.terms.catalogue)
            if not problems:
                return made
            refused = [text for name, text in problems if name in _OF_WORDS]
            if len(refused) < len(problems):
                name, text = next(one for one in problems if one[0] not in _OF_WORDS)
                raise _Refused(name, text)
            self.refused[problems[0][0]] += 1
        raise _Refused("questions", f"{QUESTIONS} questions were refused, the last one: {refused[0]}")

    async def _usable(self, asked: Sequence[BaseMessage], schema: type[Schema]) -> Schema | None:
        """`None` where twice nothing came that could be read."""
        try:
            return await self.terms.model.structured(asked, schema)
        except ModelFailure as failure:
            if failure.kind != "malformed":
                raise
            return None

    def _made(
        self, corpus: FoundCorpus, looked: Sequence[LookedAt], counts: dict[str, int], asked: ProposedQuestion
    ) -> FoundCandidate:
        case, pages = self.case, tuple(one.page for one in corpus.order)
        facts = (*case.of("file"), *corpus.facts)
        known = _known(corpus, looked)
        invented = {fact.attribute for fact in case.of("file")} - {"purchase date"}
        kinds = {page.url: page.kind for page in known}
        counted = [(kinds.get(one.url, "noise"), one.tokens, line(one.page)) for one in corpus.order]
        truths = size_truths(self.terms.sizes, corpus.ends, counted)
        return FoundCandidate(
            refused=dict(self.refused),
            question=FileQuestion(
                task_id=case.task_id,
                query=" ".join(asked.query.split()),
                today=case.today.isoformat(),
                files=tuple(self.drawer.files),
                user_id=case.user_id,
                rule_written=self.terms.model.rule_written,
            ),
            pages=pages,
            sizes=corpus_sizes(COUNTER, corpus.ends, truths),
            truth=TaskTruth(
                task_id=case.task_id,
                intent=case.intent,
                theme=case.theme,
                seed=self.terms.seed,
                shop_hash=self.terms.shop_hash,
                facts=facts,
                pages=known,
                terms=corpus.terms,
                checklist=found_checklist(case.intent, facts),
                sizes=truths,
                counter=COUNTER,
                answer=tuple(asked.how),
                invented=tuple(sorted({*invented, "shops of others", "model numbers"})),
                found=FoundRecord(
                    model=self.terms.model.name,
                    web=self.terms.web.name,
                    proposals=_proposals(corpus, looked),
                    pages={name: count for name, count in sorted(counts.items()) if count},
                ),
            ),
        )


def _known(corpus: FoundCorpus, looked: Sequence[LookedAt]) -> tuple[KnownPage, ...]:
    pages, here = corpus.supportive, {page.url for page in corpus.order}
    known = [KnownPage(url=url, kind="supportive", facts=(fact,)) for url, fact in pages.items()]
    known += [
        KnownPage(url=one.found.url, kind="distractor")
        for one in looked
        if one.proposed.kind == "distractor" and one.found.url in here
    ]
    return tuple(known)


def _proposals(corpus: FoundCorpus, looked: Sequence[LookedAt]) -> tuple[PageProposal, ...]:
    here = {page.url for page in corpus.order}
    return tuple(
        PageProposal(url=one.found.url, kind=one.proposed.kind, quote=one.quote, why=one.proposed.why)
        for one in looked
        if one.found.url in here
    )


def _problems(task: WrittenTask, catalogue: Catalogue | None) -> list[tuple[str, str]]:
    """Return the problems that `drr papers tasks check` finds in the task on disk."""
    with TemporaryDirectory(prefix="drr-task-") as place:
        stored = StoredTask(write_task(Path(place), task))
        return [(problem.check, problem.told) for problem in problems_of(stored, catalogue)]

"""The answers of a study as judging reads them: question, report, and the evidence stored with them.

Judging reads only what the study's units stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from drr.citations.addresses import canonical_url, host_of
from drr.citations.files import KnownPlaces
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import RECORDS, setting_of
from drr.env.query import Constraints, Query, read_queries
from drr.env.session import Change
from drr.env.shop import Shop
from drr.env.shop_world import as_returned, as_seen
from drr.env.source import FrozenText, Source
from drr.env.web.base import Page, PageStatus
from drr.env.world import Holdings, is_paged, kinds_of, owner_of
from drr.eval.stats.question import AskedQuestion
from drr.llm.meter import UsageRow
from drr.study.evidence import unpack_sources
from drr.study.form import naming_errors, of
from drr.study.study import Study
from drr.study.unit import Record


@dataclass(frozen=True)
class UnreturnedPage:
    """The text behind a cited address that no tool returned; `status` is `None` where nobody tried to read it."""

    url: str
    text: str | None
    status: PageStatus | None


@dataclass(frozen=True)
class Answer:
    """A finished answer. Its texts are read when first asked for."""

    key: str
    query_id: str
    query: str
    user_id: str | None
    variant: str
    trial: int
    constraints: Constraints | None
    rule_written: bool
    imported: bool
    words: int
    calls: Sequence[Mapping[str, Any]] | None
    """Tool calls without their results; `None` where nothing is known of them."""
    usage: Mapping[str, UsageRow]
    state_changes: Sequence[Change]
    study: Study = field(repr=False)
    record: Record = field(repr=False)
    question: Query | None = None
    """The question in the study's file, with what code can check about it."""
    task_id: str | None = None
    """Task that the question asks at one size or by one person; `None` where the question is its own task."""
    size: str | None = None
    """Size of the stored page collection that the question was asked about."""
    broken_off: str | None = None
    """Reason why the research stopped early, if it did. The report is written from what was known by then."""

    @cached_property
    def report(self) -> str:
        return self.study.text(self.record, "report") or ""

    @cached_property
    def sources(self) -> list[Source]:
        return unpack_sources(self.study, self.record)

    @cached_property
    def extras(self) -> list[UnreturnedPage]:
        rows = self.record.result.get("fabricated", ())
        return [
            UnreturnedPage(row["url"], self._text(row["page_sha256"]), row["page_status"]) for row in rows
        ]

    def let_go(self) -> None:
        """Release the texts from memory; they are read again when next asked for."""
        for name in ("report", "sources", "extras"):
            self.__dict__.pop(name, None)

    def tool_calls(self) -> list[JsonObject] | None:
        """Return the tool calls with their results. Calls of imported reports carry their results as given."""
        return None if self.calls is None else with_results(self.calls, self._text)

    def _text(self, digest: str | None) -> str | None:
        return None if digest is None else self.study.text(self.record, f"text:{digest}")

    @property
    def asked(self) -> AskedQuestion:
        """Return the question with its task."""
        return _asked_question(self.query_id, self.task_id, self.size)

    @property
    def label(self) -> str:
        return f"{self.query_id}/{self.variant}/{self.trial}"

    def is_by(self, model: str | None) -> bool:
        """Tell whether a model played a part in the answer, so that as its judge it judges itself."""
        return model in (self.record.result.get("models") or {}).values()


def with_results(
    calls: Iterable[Mapping[str, Any]], text: Callable[[str | None], str | None]
) -> list[JsonObject]:
    """Put the stored results into calls; calls that carry their own result keep it."""
    return [
        {**call, "result": text(call["result_sha256"]) or ""} if "result_sha256" in call else dict(call)
        for call in calls
    ]


def asked_of(spec: Mapping[str, Any], question: Query | None) -> AskedQuestion:
    """Return the question of a unit, with or without an answer."""
    return _asked_question(spec["query_id"], *drawn_with(spec, question))


def drawn_with(spec: Mapping[str, Any], question: Query | None) -> tuple[str | None, str | None]:
    """Return the task and the size of a unit's question."""
    fields = {**(spec.get("imported") or {}), **spec}
    task, size = (question.task_id, question.size) if question else (None, None)
    return task or fields.get("task_id"), size or fields.get("size")


def _asked_question(query: str, task: str | None, size: str | None) -> AskedQuestion:
    """Return a question with its task. Where only the size is known, the task is the question's name without the size."""
    return AskedQuestion(query, task or query.removesuffix(f"@{size}"))


def read_answers(study: Study) -> list[Answer]:
    """Read every finished answer whose texts exist, by query, variant and trial. The others are in `study.losses`."""
    queries = questions(study)
    kept = (record for record in study.records("answer") if not study.lost(record))
    found = (answer_of(study, record, queries) for record in kept)
    return sorted(found, key=lambda a: (a.query_id, a.variant, a.trial, a.key))


def answer_of(study: Study, record: Record, queries: Mapping[str, Query]) -> Answer:
    spec, result = record.spec, record.result
    # The study may be a stranger's: types are checked here, so that nobody has to check them later.
    with naming_errors(f"the answer {record.label!r}"):
        for name in ("query_id", "query", "variant"):
            of(spec[name], str)
        of(spec["trial"], int)
        asked = queries.get(spec["query_id"])
        task_id, size = drawn_with(spec, asked)
        return Answer(
            key=record.key,
            query_id=spec["query_id"],
            query=spec["query"],
            user_id=spec.get("user_id"),
            variant=spec["variant"],
            trial=spec["trial"],
            constraints=asked.constraints if asked else None,
            rule_written=bool(result.get("rule_written")),
            imported=bool(result.get("imported")),
            broken_off=result.get("broken_off"),
            words=of(result["words"], int),
            calls=of(result.get("tool_calls"), list, type(None)),
            usage=_logged_usage(result) or record.usage,
            task_id=task_id,
            size=size,
            state_changes=[Change(**row) for row in result.get("state_changes", ())],
            study=study,
            record=record,
            question=asked,
        )


def _logged_usage(result: Mapping[str, Any]) -> Mapping[str, UsageRow]:
    """Return the usage that another harness's log tells of an imported answer; it does not count calls or their seconds."""
    uncounted = {"calls": 0, "retries": 0, "unmetered": 0, "seconds": 0.0}
    usage = (result.get("logged") or {}).get("usage") or {}
    return {name: cast("UsageRow", {"model": name, **uncounted, **row}) for name, row in usage.items()}


def questions(study: Study) -> dict[str, Query]:
    """Read the study's own copy of its questions, by id; questions of imported reports may be missing."""
    path = study.folder / "queries.jsonl"
    if not path.is_file():
        return {}
    try:
        return {query.id: query for query in read_queries(path)}
    except Misuse as error:  # nobody named this file: the study is broken
        raise DrrError(str(error)) from error


UNKNOWN = "unknown"
"""The type of a source whose own type names no kind: judges read types outside every fence."""
NEVER_ASKED = "no tool returned this address, so it was never asked for; `drr judge STUDY --refetch --unknown` reads it now"


class AnswerEvidence:
    """The evidence of one answer. `refetched` are pages read now, by canonical address, which replace the stored ones."""

    def __init__(
        self,
        answer: Answer,
        shop: Shop | None,
        *,
        shop_hosts: frozenset[str] = frozenset(),
        refetched: Mapping[str, Page] | None = None,
    ) -> None:
        self.answer = answer
        self.shop = shop
        self._by_url: dict[str, list[Source]] = {}
        for source in answer.sources:
            self._by_url.setdefault(canonical_url(source.url), []).append(source)
        self._shown = {canonical_url(url) for source in answer.sources for url in source.addresses}
        self._files = KnownPlaces(self._by_url)
        self._made_up = {
            canonical_url(extra.url): Source(
                url=extra.url, type="web", seen="", page=extra.text, page_status=extra.status
            )
            for extra in answer.extras
        }
        holdings = Holdings(
            shop=shop,
            shop_hosts=shop_hosts,
            user_id=answer.user_id,
            # An address of records that the agent was not given is made up, however rightly it was guessed.
            withheld=not setting_of(answer.record.spec.get("setting") or RECORDS.name).has_records,
            changes=answer.state_changes,
            pages=refetched or {},
            folder=answer.study.folder,
            place=answer.study.config.get("run", {}).get("place"),
            spec=answer.record.spec,
        )
        self._refetched = refetched or {}
        self._kinds = kinds_of(holdings)
        self._by_name = {kind.name: kind for kind in self._kinds}
        self._hosts = self._hosts_by_kind()
        self._types: dict[str, str] = {}

    def type_of(self, url: str) -> str:
        """Return an address's type by its form, by the tool that returned it or by its host's other addresses."""
        if url not in self._types:  # each claim of a report asks again
            self._types[url] = self._type_of(canonical_url(url))
        return self._types[url]

    def _type_of(self, url: str) -> str:
        owner = owner_of(url, self._kinds)
        if not owner.paged:
            return owner.name
        known = self._by_url.get(url)
        if known and not is_paged(known[0].type):
            return known[0].type if known[0].type in self._by_name else UNKNOWN
        return self._hosts.get(host_of(url), owner.name)

    def resolves(self, url: str) -> bool:
        """Tell whether the address is a source: a tool returned it, or the shop has it. Any other address is made up.

        What an imported report's tools returned is unknown, so any address counts there, except that of a record that does not exist.
        """
        if canonical_url(url) in self._shown or self._returned(canonical_url(url)):
            return True
        if self.answer.imported:
            return is_paged(self.type_of(url)) or self.page(url).status != "unreachable"
        return not is_paged(self.type_of(url)) and self.page(url).status == "ok"

    def page(self, url: str) -> FrozenText:
        """Return the content of the address: the shop's record, or the page as stored."""
        url = canonical_url(url)
        name = self.type_of(url)
        returned = self._returned(url)
        kind = self._by_name.get(name)
        if kind is None:
            return as_returned(url, name, returned) or FrozenText(
                url, name, "not_frozen", reason=f"nothing here can look up a source of the type {name}"
            )
        if kind.paged and url in self._made_up:
            made_up = self._made_up[url]
            # Not fetched unasked: it may carry a shopper's name, or lead to a page that exists by chance.
            if not returned and made_up.page_status is None and url not in self._refetched:
                return FrozenText(url, name, "unreachable", reason=NEVER_ASKED)
            returned.append(made_up)
        return kind.text(url, returned)

    def seen(self, url: str) -> FrozenText:
        """Return what the agent read at the address. An address that no tool returned supports nothing."""
        url = canonical_url(url)
        return as_seen(url, self.type_of(url), self._returned(url))

    def _returned(self, url: str) -> list[Source]:
        """Return what the tools returned for an address; for a place in a file, also for places that overlap it."""
        own = self._by_url.get(url)
        if own is not None:
            return list(own)
        return [source for known in self._files.meeting(url) for source in self._by_url[known]]

    def _hosts_by_kind(self) -> dict[str, str]:
        """Map web hosts to the type of records that a tool returned from them, such as an imported report's shop."""
        found: dict[str, str] = {}
        for source in self.answer.sources:
            host = host_of(source.url) if source.url.lower().startswith("http") else ""
            if host and source.type in self._by_name and not is_paged(source.type):
                found.setdefault(host, source.type)
        return found

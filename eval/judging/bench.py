"""What a judging needs at hand, the units it consists of, and the work of one unit.

A unit's key holds everything that decides its result: the task, the judge, the protocol, the prompt's version and a
fingerprint of the whole prompt. A unit's spec only says where to look; the work builds the same prompt again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from typing import Any, Literal, get_args

from drr.citations.parse import parse
from drr.env.errors import DrrError
from drr.env.shop import Shop
from drr.env.web.base import Page
from drr.eval import offline
from drr.eval.asking.conversation import SCHEMA, box_prompts, code_version, fingerprint, version_of
from drr.eval.checks import check_report, document
from drr.eval.evidence.answers import Answer
from drr.eval.evidence.book import Book, host_of
from drr.eval.labels import DIMENSIONS, Dimension, pair_id
from drr.eval.tasks.checked import RULE_CODE, subject
from drr.eval.tasks.claims import Claim, extract_by_rules, extract_with_model
from drr.eval.tasks.quality import (
    Graded,
    comparison_messages,
    comparison_version,
    diagnose,
    failure_messages,
    prefer,
    rate,
    rating_messages,
    rating_version,
)
from drr.eval.tasks.support import Against, Item, item_id, judge_support, support_messages
from drr.llm.failures import ModelFailure
from drr.llm.prompts import Prompts
from drr.llm.role import RoleModel
from drr.study.run import Context
from drr.study.unit import Outcome, Unit
from langchain_core.messages import BaseMessage

What = Literal["faithfulness", "quality", "pairwise", "rules", "failures"]
WHAT: tuple[What, ...] = get_args(What)
Protocol = Literal["ours", "paper"]
EXTRACTION_TRIES = 3


@dataclass(frozen=True)
class JudgeName:
    """Who judges. `shown` is the name that verdicts carry; the model that is called may be the offline one."""

    model: str
    rule_written: bool

    @property
    def shown(self) -> str:
        return offline.JUDGE if self.rule_written else self.model


@dataclass
class Bench:
    """One judging of one study."""

    judge: JudgeName
    extractor: JudgeName
    shop: Shop | None
    shop_url: str
    prompts: Prompts = field(default_factory=box_prompts)
    protocol: Protocol = "ours"
    batch: int = 1
    repeat: int = 0
    """Another repetition of the same judgements: the only field that makes an equal prompt a new unit."""
    refetched: Mapping[str, Page] | None = None
    profiles: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    _books: dict[str, Book] = field(default_factory=dict)

    @property
    def paper(self) -> bool:
        return self.protocol == "paper"

    @cached_property
    def versions(self) -> dict[str, str]:
        """By task, and by task and dimension or mode: of the prompt, and where rules stand in for a model, of the rules."""
        prompts, paper = self.prompts, self.paper
        rules = f"-{code_version(*offline.CODE)}" if self.judge.rule_written else ""
        reading = (
            f"-{code_version('eval/tasks/claims.py', 'citations/*.py')}"
            if self.extractor.rule_written
            else ""
        )
        found = {
            "support": version_of(prompts["paper_support" if paper else "support"]),
            "failures": version_of(prompts["failures"]),
            **{f"rating/{d}": rating_version(prompts, d, paper=paper) for d in DIMENSIONS},
            **{f"pairwise/{d}": comparison_version(prompts, d, paper=paper) for d in DIMENSIONS},
        }
        claims = {f"claims/{mode}": version_of(prompts[self.extraction_prompt(mode)]) for mode in self.modes}
        return {name: version + rules for name, version in found.items()} | {
            name: version + reading for name, version in claims.items()
        }

    def add(self, answers: Iterable[Answer]) -> None:
        self.answers.update((answer.key, answer) for answer in answers)

    def book(self, answer: Answer) -> Book:
        if answer.key not in self._books:
            own = frozenset({host_of(self.shop_url)})
            self._books[answer.key] = Book(answer, self.shop, shop_hosts=own, refetched=self.refetched)
        return self._books[answer.key]

    def graded(self, answer: Answer) -> Graded:
        return Graded(answer.query, self._profile(answer.user_id), self.shop_url)

    def _profile(self, user_id: str | None) -> str:
        if user_id is None or self.shop is None:
            return ""
        if user_id not in self.profiles:
            from drr.env.profile import build_profile

            known = self.shop.store.user(user_id) is not None
            self.profiles[user_id] = (
                build_profile(self.shop.store, user_id, self.shop.manifest.as_of).text() if known else ""
            )
        return self.profiles[user_id]

    # -- claims

    def extraction_units(self) -> list[Unit]:
        return [
            self._extraction_unit(answer, mode) for answer in self.answers.values() for mode in self.modes
        ]

    @property
    def modes(self) -> tuple[str, ...]:
        """The paper extracts twice: cited claims for precision, all claims for recall."""
        return ("cited", "all") if self.paper else ("all",)

    def extraction_prompt(self, mode: str) -> str:
        return f"paper_claims_{mode}" if self.paper else "claims"

    def _extraction_unit(self, answer: Answer, mode: str) -> Unit:
        fields = {
            "task": "claims",
            "protocol": self.protocol,
            "mode": mode,
            "judge": self.extractor.shown,
            "version": self.versions[f"claims/{mode}"],
            "schema": SCHEMA,
            "answer": answer.key,
            "report": _hash(answer.report),
            "repeat": self.repeat,
        }
        spec = {"task": "claims", "answer": answer.key, "mode": mode}
        return Unit("judgement", fields, spec, f"claims \u00b7 {answer.label}")

    async def _extract(self, answer: Answer, mode: str, model: RoleModel) -> dict[str, Any]:
        """Distinct claims: saying a thing twice makes it neither better cited nor better supported."""
        citations = parse(answer.report)
        if model.rule_written:
            claims, rejects = extract_by_rules(answer.report, citations), dict[str, int]()
        else:
            prompt = self.prompts[self.extraction_prompt(mode)].text
            extraction = await _persist(
                lambda: extract_with_model(answer.report, citations, model, prompt=prompt)
            )
            claims, rejects = extraction.claims, extraction.rejects
        blanket, book = _blanket(citations), self.book(answer)
        distinct = _distinct(claims)
        if len(distinct) < len(claims):
            rejects = {**rejects, "repeated": len(claims) - len(distinct)}
        kept = [_without_blanket(claim, blanket, citations) for claim in distinct]
        for claim in kept:
            claim["resolved"] = any(book.resolves(url) for url in claim["urls"])
            claim["types"] = sorted({book.type_of(url) for url in claim["urls"]})
        if mode == "cited":
            kept = [claim for claim in kept if claim["urls"]]
        return {"claims": kept, "rejects": rejects, "by_rule": model.rule_written}

    # -- support

    def support_units(
        self, answer: Answer, extraction_key: str, claims: Sequence[Mapping[str, Any]]
    ) -> list[Unit]:
        items = self.items(answer, claims)
        units = []
        prompt = self.prompts["paper_support" if self.paper else "support"]
        for group in _batches(items, self.batch, paper=self.paper):
            fields = {
                "task": "support",
                "protocol": self.protocol,
                "judge": self.judge.shown,
                "version": self.versions["support"],
                "schema": SCHEMA,
                "answer": answer.key,
                "claims": extraction_key,
                "items": [item.id for item in group],
                "statuses": [[s.status for s in item.sources] for item in group],
                "prompt": fingerprint(support_messages(prompt, group)),
                "refetch": self.refetched is not None,
                "repeat": self.repeat,
            }
            spec = {
                "task": "support",
                "answer": answer.key,
                "items": [item.id for item in group],
                "claims": [
                    {"id": claim["id"], "text": claim["text"], "urls": claim["urls"]}
                    for claim in claims
                    if claim["id"] in {item.claim_id for item in group}
                ],
            }
            units.append(
                Unit(
                    "judgement",
                    fields,
                    spec,
                    f"support {', '.join(i.id for i in group)} \u00b7 {answer.label}",
                )
            )
        return units

    def items(self, answer: Answer, claims: Iterable[Mapping[str, Any]]) -> list[Item]:
        """Every (claim, type) against its frozen sources, and for the web against what the agent saw where that differs."""
        book = self.book(answer)
        found: list[Item] = []
        for claim in claims:
            by_type: dict[Any, list[str]] = {}
            for url in claim["urls"]:
                by_type.setdefault(book.type_of(url), []).append(url)
            for source_type, urls in by_type.items():
                pages = tuple(book.page(url) for url in urls)
                found.append(self._item(claim, source_type, "page", pages))
                if source_type != "web" or self.paper or self.refetched is not None:
                    continue
                seen = tuple(book.seen(url) for url in urls)
                if [s.sha256 for s in seen] != [p.sha256 for p in pages]:
                    found.append(self._item(claim, source_type, "seen", seen))
        return found

    @staticmethod
    def _item(claim: Mapping[str, Any], source_type: Any, against: Against, sources: Any) -> Item:
        name = item_id(claim["id"], source_type, against)
        return Item(name, claim["id"], claim["text"], source_type, against, sources)

    # -- quality and pairs

    def rating_units(self, answer: Answer) -> list[Unit]:
        units = []
        for dimension in DIMENSIONS:
            messages = self._rating_messages(answer, dimension)
            fields = {
                "task": "rating",
                "protocol": self.protocol,
                "judge": self.judge.shown,
                "version": self.versions[f"rating/{dimension}"],
                "schema": SCHEMA,
                "answer": answer.key,
                "dimension": dimension,
                "prompt": fingerprint(messages),
                "repeat": self.repeat,
            }
            spec = {"task": "rating", "answer": answer.key, "dimension": dimension}
            units.append(Unit("judgement", fields, spec, f"{dimension} \u00b7 {answer.label}"))
        return units

    def _rating_messages(self, answer: Answer, dimension: Dimension) -> list[BaseMessage]:
        return rating_messages(self.prompts, dimension, self.graded(answer), answer.report, paper=self.paper)

    def pair_units(self, variants: Sequence[str]) -> list[Unit]:
        """Trial k meets trial k; each pair in both orders, under the paper's protocol in one order drawn by lot."""
        units: list[Unit] = []
        for first, second in self.pairs(variants):
            for dimension in DIMENSIONS:
                orders: tuple[tuple[Answer, Answer], ...] = ((first, second), (second, first))
                if self.paper:
                    lot = _hash(
                        f"{pair_id(first.query_id, first.variant, second.variant, first.trial)}\0{dimension}"
                    )
                    orders = (orders[int(lot, 16) % 2],)
                units += [self._pair_unit(dimension, a, b) for a, b in orders]
        return units

    def pairs(self, variants: Sequence[str]) -> Iterator[tuple[Answer, Answer]]:
        """In alphabetical order of the variants."""
        places: dict[tuple[str, int], dict[str, Answer]] = {}
        for answer in self.answers.values():
            if answer.variant in variants:
                places.setdefault((answer.query_id, answer.trial), {})[answer.variant] = answer
        for here in places.values():
            yield from ((here[a], here[b]) for a, b in combinations(sorted(here), 2))

    def _pair_unit(self, dimension: Dimension, first: Answer, second: Answer) -> Unit:
        fields = {
            "task": "pairwise",
            "protocol": self.protocol,
            "judge": self.judge.shown,
            "version": self.versions[f"pairwise/{dimension}"],
            "schema": SCHEMA,
            "first": first.key,
            "second": second.key,
            "dimension": dimension,
            "prompt": fingerprint(self._pair_messages(dimension, first, second)),
            "repeat": self.repeat,
        }
        spec = {"task": "pairwise", "first": first.key, "second": second.key, "dimension": dimension}
        label = f"{dimension} \u00b7 {first.query_id} \u00b7 {first.variant} then {second.variant} \u00b7 {first.trial}"
        return Unit("judgement", fields, spec, label)

    def _pair_messages(self, dimension: Dimension, first: Answer, second: Answer) -> list[BaseMessage]:
        graded = self.graded(first)
        return comparison_messages(
            self.prompts, dimension, graded, first.report, second.report, paper=self.paper
        )

    # -- what is wrong with a report

    def failure_units(self, answer: Answer) -> list[Unit]:
        fields = {
            "task": "failures",
            "protocol": self.protocol,
            "judge": self.judge.shown,
            "version": self.versions["failures"],
            "schema": SCHEMA,
            "answer": answer.key,
            "prompt": fingerprint(self._failure_messages(answer)),
            "repeat": self.repeat,
        }
        return [
            Unit(
                "judgement",
                fields,
                {"task": "failures", "answer": answer.key},
                f"failures \u00b7 {answer.label}",
            )
        ]

    def _failure_messages(self, answer: Answer) -> list[BaseMessage]:
        return failure_messages(self.prompts, self.graded(answer), answer.report)

    # -- checks by code

    def rule_units(self, answer: Answer) -> list[Unit]:
        """One unit a report: the seventeen checks, which no model sees."""
        fields = {
            "task": "rules",
            "judge": "rules",
            "version": code_version(*RULE_CODE),
            "answer": answer.key,
            "report": _hash(answer.report),
            "shop": None if self.shop is None else self.shop.manifest.content_hash,
            "shop_url": self.shop_url,
            "constraints": None if answer.constraints is None else answer.constraints.model_dump(mode="json"),
        }
        return [
            Unit("judgement", fields, {"task": "rules", "answer": answer.key}, f"rules \u00b7 {answer.label}")
        ]

    def _check(self, answer: Answer) -> dict[str, Any]:
        return document(check_report(subject(answer, self.shop, self.shop_url)))

    # -- the work of one unit

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        models = context.models
        task = spec["task"]
        if task == "rules":
            return Outcome({"rules": self._check(self._answer(spec["answer"]))})
        if task == "claims":
            extractor = models.role("claim_extractor", offline.policy)
            return Outcome(await self._extract(self._answer(spec["answer"]), spec["mode"], extractor))
        judge = models.role("judge", offline.policy)
        if task == "support":
            return await self._judge_support(spec, judge)
        if task == "rating":
            messages = self._rating_messages(self._answer(spec["answer"]), spec["dimension"])
            return Outcome(await rate(judge, messages, paper=self.paper))
        if task == "pairwise":
            first, second = self._answer(spec["first"]), self._answer(spec["second"])
            messages = self._pair_messages(spec["dimension"], first, second)
            return Outcome(await prefer(judge, messages, paper=self.paper))
        if task == "failures":
            answer = self._answer(spec["answer"])
            return Outcome(await diagnose(judge, self._failure_messages(answer), answer.report))
        raise DrrError(f"no judgement of the kind {task!r} is known; it was planned by a newer version")

    async def _judge_support(self, spec: Mapping[str, Any], judge: RoleModel) -> Outcome:
        """Pages that were read now are kept with the verdict; all other evidence is in the answer's record."""
        answer = self._answer(spec["answer"])
        wanted = set(spec["items"])
        items = [item for item in self.items(answer, spec["claims"]) if item.id in wanted]
        prompt = self.prompts["paper_support" if self.paper else "support"]
        verdicts = await judge_support(judge, prompt, items, paper=self.paper)
        fresh = [source for item in items for source in item.readable] if self.refetched is not None else []
        return Outcome(
            {"verdicts": verdicts}, {f"text:{source.sha256}": source.text or "" for source in fresh}
        )

    def _answer(self, key: str) -> Answer:
        try:
            return self.answers[key]
        except KeyError:
            raise DrrError(
                f"answer {key[:12]} is not among those being judged; run `drr judge` on the whole study"
            ) from None


async def _persist(extract: Any) -> Any:
    """An extraction that cannot be read is tried again from the start, twice; then the report has no claims."""
    for attempt in range(EXTRACTION_TRIES):
        try:
            return await extract()
        except ModelFailure as failure:
            if failure.kind != "malformed" or attempt == EXTRACTION_TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _batches(items: Sequence[Item], size: int, *, paper: bool) -> list[list[Item]]:
    """Claims of one report; what needs no model stands alone, so that a batch is a prompt."""
    shown = [item for item in items if item.needs_judge(paper=paper)]
    silent = [[item] for item in items if not item.needs_judge(paper=paper)]
    return [list(shown[i : i + size]) for i in range(0, len(shown), size)] + silent


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The first of equal statements, with the sources of all of them."""
    found: dict[str, Claim] = {}
    for claim in claims:
        words = " ".join(claim.text.casefold().split())
        known = found.setdefault(words, claim)
        if known is not claim:
            found[words] = replace(known, urls=tuple(dict.fromkeys((*known.urls, *claim.urls))))
    return list(found.values())


def _blanket(citations: Any) -> list[tuple[int, int]]:
    """A marker for more than ten sources names none of them: it earns no claim a citation."""
    return [(d.start, d.end) for d in citations.defects if d.kind == "blanket_range"]


def _without_blanket(claim: Claim, blanket: Sequence[tuple[int, int]], citations: Any) -> dict[str, Any]:
    urls = list(claim.urls)
    inside = [span for span in blanket if claim.start <= span[0] < claim.end + 12]
    if inside:
        named = {
            m.url
            for m in citations.markers
            if claim.start <= m.start < claim.end + 12 and (m.start, m.end) not in inside
        }
        urls = [url for url in urls if url in named]
    return {
        "id": claim.id,
        "text": claim.text,
        "quote": claim.quote,
        "start": claim.start,
        "end": claim.end,
        "urls": urls,
        "section_level": claim.section_level,
        "blanket": bool(inside),
    }

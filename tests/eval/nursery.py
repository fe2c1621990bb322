"""Studies with answers put there by hand, and a judge that follows a script through the real client."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from drr.env.shop import Shop
from drr.env.source import Source, text_hash
from drr.eval.asking.judge import JudgeName
from drr.eval.evidence.answers import questions, read_answers
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions, JudgingResults, judge
from drr.eval.stats.citations import CitationVerdict
from drr.eval.tasks.desk import EXTRACTOR, JUDGE, JudgingContext
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.protocol import PROTOCOLS
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.offline.judge import RulesJudge
from drr.study.evidence import pack_sources
from drr.study.run import run
from drr.study.study import Study
from drr.study.unit import Outcome, Unit
from drr.study.worker import Context
from pydantic import SecretStr

from tests.wire import FastClock, PrefixCache, Reply, Request, Say, Wire

SONNET = "anthropic:claude-sonnet-5-5"
SHOP_URL = "http://ecommerce.example"


def offline() -> Models:
    return Models(ModelSettings(roles={"default": "offline"}))


def scripted(url: str) -> Models:
    """The real client of both judge roles, talking to a local server; waits take no time."""
    return Models(
        ModelSettings(
            roles={"default": "offline", "judge": SONNET, "claim_extractor": SONNET},
            base_url=url,
            keys={"anthropic": SecretStr("k")},
            timeout_s=5,
            deadline_s=60,
        ),
        clock=FastClock().clock,
    )


def web(url: str, page: str | None, *, seen: str | None = None, status: str = "ok") -> Source:
    read = {"seen": seen or page or "", "page": page, "page_status": status}
    return Source.model_validate({"url": url, "type": "web", "title": "a page", **read})


def answer(
    query: str,
    variant: str,
    report: str,
    sources: Sequence[Source] = (),
    *,
    trial: int = 0,
    user_id: str | None = None,
    fabricated: Sequence[Mapping[str, Any]] = (),
    calls: Sequence[Mapping[str, Any]] = (),
) -> Unit:
    spec = {
        "query_id": f"q-{query}",
        "query": f"What of {query}, within a budget of $100?",
        "user_id": user_id,
        "variant": variant,
        "trial": trial,
        "report": report,
        "sources": [source.model_dump(mode="json") for source in sources],
        "fabricated": list(fabricated),
        "calls": list(calls),
    }
    return Unit("answer", {**spec, "made": "by hand"}, spec, f"q-{query}/{variant}/{trial}")


async def _put(spec: Mapping[str, Any], context: Context) -> Outcome:
    rows, blobs = pack_sources([Source.model_validate(source) for source in spec["sources"]])

    def kept(text: str) -> str:
        digest = text_hash(text)
        blobs[f"text:{digest}"] = text
        return digest

    fabricated = [
        {name: one[name] for name in ("url", "page_status")}
        | {"page_sha256": None if one.get("page") is None else kept(one["page"])}
        for one in spec["fabricated"]
    ]
    calls = [
        {name: value for name, value in call.items() if name != "result"}
        | {"result_sha256": kept(call["result"])}
        for call in spec["calls"]
    ]
    facts = {name: spec[name] for name in ("query_id", "query", "user_id", "variant", "trial")}
    facts |= {"words": len(spec["report"].split()), "sources": rows}
    return Outcome(
        {**facts, "fabricated": fabricated, "tool_calls": calls}, {**blobs, "report": spec["report"]}
    )


async def put(study: Study, *units: Unit) -> None:
    summary = await run(study, units, _put, models=offline())
    assert summary.ok, summary


def desk(
    study: Study, models: Models, shop: Shop | None = None, *, protocol: str = "ours", **more: Any
) -> JudgingContext:
    stand_in = RulesJudge()
    judge, extractor = (JudgeName.of(models, role, stand_in) for role in (JUDGE, EXTRACTOR))
    made = JudgingContext(
        judge, extractor, shop, SHOP_URL, protocol=PROTOCOLS[protocol], stand_in=stand_in, **more
    )
    made.questions = questions(study)
    made.add(read_answers(study))
    return made


async def by_wire(
    study: Study,
    script: Callable[[Request], Reply],
    options: JudgeOptions,
    shop: Shop | None = None,
    *,
    cache: PrefixCache | None = None,
    **more: Any,
) -> tuple[JudgingResults, list[Request]]:
    """Judge a study by the real client of a scripted model: what was done, and all that was asked."""
    with Wire(script, cache=cache) as wire:
        return await by_model(study, wire.url, options, shop, **more), wire.requests


async def judged_by_wire(
    study: Study,
    script: Callable[[Request], Reply],
    options: JudgeOptions,
    shop: Shop | None = None,
    **more: Any,
) -> Judged:
    """Judge a study by a scripted model without a failure, and read what is judged now."""
    ran, _ = await by_wire(study, script, options, shop, **more)
    assert ran.summary.ok
    return read_judged(study, choose_judging(study))


async def by_model(
    study: Study, url: str, options: JudgeOptions, shop: Shop | None = None, **more: Any
) -> JudgingResults:
    models = scripted(url)
    try:
        return await judge(study, desk(study, models, shop, **more), models, options)
    finally:
        await models.aclose()


async def by_rules(study: Study, what: Sequence[str], shop: Shop | None = None, **more: Any) -> Judged:
    models = offline()
    assert (
        await judge(study, desk(study, models, shop, **more), models, JudgeOptions(what))
    ).summary.stopped is None
    return read_judged(study, choose_judging(study))


class Shown(NamedTuple):
    """A text of a prompt, under its label."""

    label: str
    text: str
    intro: str


_SECTION = re.compile(
    r"(?:^(?P<intro>[^\n<]*)\n)?<(?P<label>\w+) (?P<mark>[0-9a-f]{8,20})>\n(?P<text>.*?)\n</(?P=label) (?P=mark)>",
    re.DOTALL | re.MULTILINE,
)


def sections_of(message: str) -> list[Shown]:
    """What a prompt holds, as a model would read it."""
    return [Shown(m["label"], m["text"], m["intro"] or "") for m in _SECTION.finditer(message)]


def section_of(request: Request, label: str) -> str:
    """The first text under a label."""
    return next(one.text for one in sections_of(message(request)) if one.label == label)


def named_sections(request: Request, label: str) -> dict[str, str]:
    """The texts under a label, by the id that stands above each."""
    shown = (one for one in sections_of(message(request)) if one.label == label)
    return {one.intro.split("`")[1]: one.text for one in shown}


class ScriptedJudge(ABC):
    """Says in JSON what the method named after the task returns for the request, unless `instead` says something."""

    def __init__(self, instead: Callable[[str, Request], Reply | None] = lambda task, request: None) -> None:
        self.instead = instead
        self.asked: list[str] = []
        self.messages: list[str] = []
        self.prompts: list[str] = []
        """All that was sent, the system's words before the message's; one text a call."""

    def __call__(self, request: Request) -> Reply:
        told, sent = system(request), message(request)
        task = self.task(told, sent)
        self.asked.append(task)
        self.messages.append(sent)
        self.prompts.append(told + sent)
        reply = self.instead(task, request)
        return reply if reply is not None else Say(json.dumps(getattr(self, f"_{task}")(request)))

    @abstractmethod
    def task(self, system: str, message: str) -> str:
        """Return the name of the method that answers."""


class Judge(ScriptedJudge):
    """Answers as told; `alone` is what one source of several says where that is not what `support` would say of it."""

    def __init__(
        self,
        *,
        claims: Callable[[str], list[dict[str, Any]]] | None = None,
        support: Callable[[str, str], str] = lambda claim, evidence: "full_support",
        alone: Callable[[str, str], str] | None = None,
        rating: Callable[[str], int] = lambda answer: 7,
        winner: Callable[[str, str], str] = lambda a, b: "tie",
        instead: Callable[[str, Request], Reply | None] = lambda task, request: None,
    ) -> None:
        self.claims, self.support, self.alone = claims, support, alone
        self.rating, self.winner = rating, winner
        super().__init__(instead)

    def task(self, system: str, message: str) -> str:
        if "back up what a report says" in system or "backed by the sources" in system:
            return "citations" if any("." in name for name, _ in asked_for(message)) else "support"
        if "compare" in system[:20]:
            return "pairwise"
        return "rating" if "grade" in system[:20] else "claims"

    def _claims(self, request: Request) -> dict[str, Any]:
        report = section_of(request, "report")
        return {"claims": self.claims(report) if self.claims else []}

    def _support(self, request: Request) -> dict[str, Any]:
        text = message(request)
        said = [(name, self._said(name, claim, text)) for name, claim in asked_for(text)]
        return {
            "verdicts": [
                {"id": name, "justification": "as told", "quote": last_line(text, name), "absent": False}
                | {"support": support}
                for name, support in said
            ]
        }

    _citations = _support

    def _said(self, name: str, claim: str, text: str) -> str:
        evidence = evidence_for(text, name)
        return (self.alone if is_alone(name) and self.alone else self.support)(claim, evidence)

    def _rating(self, request: Request) -> dict[str, Any]:
        return {"justification": "as told", "rating": self.rating(section_of(request, "answer"))}

    def _pairwise(self, request: Request) -> dict[str, Any]:
        a, b = (section_of(request, f"answer_{side}") for side in "ab")
        said = {"justification": "as told", "winner": self.winner(a, b)}
        _, asked, criteria = message(request).rpartition("Criteria:")
        named = re.findall(r"^\*\*([\w ]+)\*\*:", criteria, re.MULTILINE)
        return {"verdicts": [{"criterion": one, **said} for one in named]} if asked else said


def asked_for(text: str) -> list[tuple[str, str]]:
    """(id, claim) of a support prompt."""
    lines = [line for one in sections_of(text) if one.label == "claims" for line in one.text.split("\n")]
    return [(name, claim) for name, _, claim in (line.partition(" | ") for line in lines)]


def evidence_for(text: str, name: str) -> str:
    """The evidence of a claim in a support prompt, as the numbers above it say."""
    sections = sections_of(text)
    (above,) = (s.intro for s in sections if s.label == "claims" and f"\n{name} | " in f"\n{s.text}")
    numbers = re.findall(r"\d+", above)
    shown = [s.text for s in sections if s.label == "evidence" and re.findall(r"\d+", s.intro)[0] in numbers]
    return "\n".join(shown)


def last_line(text: str, name: str) -> str:
    """The last line of a claim's evidence, as a quotation."""
    return [line for line in evidence_for(text, name).split("\n") if line.strip()][-1]


def is_alone(name: str) -> bool:
    """Whether an id is that of one source among several of its claim: `c1-web.2`, and not the set without it."""
    return "." in name and not name.endswith("-without")


def message(request: Request) -> str:
    content = request.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def system(request: Request) -> str:
    told = request.body["system"]
    return told if isinstance(told, str) else "".join(block["text"] for block in told)


def sentences(report: str) -> list[dict[str, Any]]:
    """One claim a cited line; `[n]` refers to the list at the end."""
    urls = dict(re.findall(r"^\[(\d+)\] .*?(\S+://\S+)$", report, re.MULTILINE))
    found = []
    for line in report.split("\n"):
        if line.strip() and not line.startswith(("#", "[")):
            cited = [urls[n] for n in re.findall(r"\[(\d+)\]", line) if n in urls]
            found.append({"quote": line, "claim": re.sub(r"\s*\[\d+\]", "", line), "sources": cited})
    return found


def citation_verdicts(study: Study, judge: str | None = None) -> list[CitationVerdict]:
    """A row for each cited address of each claim, from the judging that `choose_judging` returns."""
    judged = read_judged(study, choose_judging(study, judge))
    return [row for one in judged.answers for row in judged.citations.get(one.key) or ()]

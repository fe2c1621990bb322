"""Builds the parts of an answer's page (claims, sources, calls, ratings, ...) from the records of the study."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from drr.app.viewer.model import (
    Actor,
    CallView,
    Conversation,
    JudgeVerdicts,
    Passage,
    ProductCard,
    SourceView,
    TimedMessage,
    VerdictEvidence,
)
from drr.citations.parse import Citations, canonical_url
from drr.env.json_object import JsonObject
from drr.env.shop import Shop
from drr.env.source import text_hash
from drr.eval.checks.base import urls_in
from drr.eval.checks.results import CheckRow
from drr.eval.evidence.answers import Answer, AnswerEvidence
from drr.eval.metrics import metrics, metrics_without_verdicts
from drr.eval.metrics.base import Metric
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import VerdictRow
from drr.eval.tasks.judgements import Judged
from drr.wording.excerpt import ELLIPSIS, range_of_words

MARGIN = 400
LONGEST_ARGUMENT = 140
"""Most characters of an argument in the line of a call."""
SHOWN_ELSEWHERE = frozenset({"quality", "rules"})
"""Names of metric tables that the page shows in a part of their own."""
Rows = Sequence[Mapping[str, Any]]
Times = tuple[float | None, float | None, CallView | None]
"""Start and length of a turn or a call, in seconds, and the call."""


def figures(values: Mapping[str, float | None]) -> Iterable[tuple[Metric, float | None]]:
    left = metrics_without_verdicts(values)
    for name, metric in metrics(values).items():
        if metric.table not in SHOWN_ELSEWHERE and not metric.across_trials and name not in left:
            yield metric, values[name]


def verdicts(judged: Judged, answer: Answer, book: AnswerEvidence) -> JudgeVerdicts:
    """Return the verdicts of one judging run on an answer, with the evidence behind them."""
    found = judged.judged_claims(answer)
    alone = {(one.claim, one.url): one for one in judged.citations.get(answer.key) or ()}
    evidence = {}
    rows = {**judged.support.get(answer.key, {}), **judged.joint.get(answer.key, {})}
    for item, verdict in rows.items() if found else ():
        shown = list(_passages(verdict, book))
        evidence[item] = VerdictEvidence(
            [one for one in shown if isinstance(one, Passage)],
            [one for one in shown if isinstance(one, str)],
            dict(_verdicts_alone(verdict, book, alone)),
        )
    judging = judged.judging if judged.units_of.get(answer.key) else None
    return JudgeVerdicts(
        judging.judge if judging else None,
        bool(judging and judging.rule_written),
        judging.weak if judging else None,
        (found and found.claims) or (),
        evidence,
        judged.ratings.get(answer.key) or {},
    )


def _verdicts_alone(
    verdict: VerdictRow, book: AnswerEvidence, alone: Mapping[tuple[str, str], CitationVerdict]
) -> Iterator[tuple[str, tuple[CitationVerdict, Passage | None]]]:
    """Yield each address of a claim that cites several, with the verdict on that address alone and its passage."""
    sources = verdict["sources"]
    for source in sources if len(sources) > 1 and verdict["against"] == "page" else ():
        one = alone.get((verdict["claim_id"], source["url"]))
        if one is not None and one.status is not None:
            text = book.page(one.url).text if one.spans else None
            # Offsets belong to the text that was judged; in a changed one they would mark other words.
            same = text is not None and text_hash(text) == one.sha256
            yield one.url, (one, passage_of(text, one.spans, ()) if text is not None and same else None)


def _passages(verdict: VerdictRow, book: AnswerEvidence) -> Iterable[Passage | str]:
    """Yield a passage for each source: the supporting spans with text around them. Without spans the passage is the first text that the judge read; where none can be shown, the reason is yielded."""
    for source in verdict["sources"]:
        frozen = book.seen(source["url"]) if verdict["against"] == "seen" else book.page(source["url"])
        if frozen.text is None:
            yield f"{source['url']}: {frozen.reason or frozen.status}"
        elif source["sha256"] not in (None, text_hash(frozen.text)):
            lost = (
                "the shop cannot be opened"
                if book.shop is None
                else "the shop or its wording has changed since"
            )
            yield f"{source['url']}: the record that was judged is not here: {lost}"
        else:
            spans = [(s["start"], s["end"]) for s in verdict["spans"] if s["url"] == source["url"]]
            shown = [(start, end) for start, end in source["passages"]]
            yield passage_of(frozen.text, spans, shown)


def passage_of(text: str, spans: Sequence[tuple[int, int]], shown: Sequence[tuple[int, int]]) -> Passage:
    """Return the passage around the spans. `shown` are the stretches of the text that the judge read; empty means the whole text."""
    kept = (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None
    if kept is not None:
        start, end = kept[0] - MARGIN, kept[1] + MARGIN
    else:
        start, last = shown[0] if shown else (0, len(text))
        end = min(last, start + 2 * MARGIN)
    start, end = range_of_words(text, start, end, kept)
    before = ELLIPSIS if text[:start].strip() else ""
    after = ELLIPSIS if text[end:].strip() else ""
    return Passage(
        before + text[start:end] + after,
        tuple((a - start + len(before), b - start + len(before)) for a, b in spans),
    )


def sources(answer: Answer) -> Iterable[SourceView]:
    """Yield each source address once, with all texts that tools showed and the calls that returned the address."""
    brought = _calls_by_address(answer)
    found: dict[str, SourceView] = {}
    for source in answer.sources:
        url = canonical_url(source.url)
        known = found.get(url)
        found[url] = SourceView(
            number=len(found) + 1 if known is None else known.number,
            url=source.url if known is None else known.url,
            type=source.type if known is None else known.type,
            title=(known and known.title) or source.title,
            seen=tuple(dict.fromkeys((*(known.seen if known else ()), source.seen))),
            # One return may bring the page and another only its status, so each is the first that is known.
            page=(known and known.page) or source.page_sha256,
            page_status=(known and known.page_status) or source.page_status,
            calls=brought.get(url, ()),
        )
    return found.values()


def _calls_by_address(answer: Answer) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the tool calls that returned each address, by canonical address. Where no tool call did, the first other call counts."""
    tools: dict[str, list[int]] = {}
    others: dict[str, list[int]] = {}
    for call in answer.tool_calls() or ():
        found = tools if call.get("kind", "api") == "api" else others
        for url in urls_in(call.get("sources") or call.get("result")):
            found.setdefault(url, []).append(int(call.get("number") or 0))
    return {url: tuple(tools.get(url) or others[url][:1]) for url in others | tools}


_A_CLOCK = 1e8
"""Seconds above which a start is a Unix time, as other systems record starts: no answer takes three years."""


def actors(calls: Sequence[Mapping[str, Any]]) -> Iterable[Actor]:
    """Yield each actor with its calls: the supervisor (or only agent), then researchers in the order of their first calls."""
    by_actor: dict[str, list[CallView]] = {}
    alone = not any(call.get("researcher") for call in calls)
    starts = [_number(call.get("started_at")) for call in calls]
    first = min((one for one in starts if one is not None), default=0.0)
    zero = first if first > _A_CLOCK else 0.0
    for position, (call, start) in enumerate(zip(calls, starts, strict=True), 1):
        name = str(call.get("researcher") or ("agent" if alone else "supervisor"))
        began = None if start is None or start < zero else start - zero
        by_actor.setdefault(name, []).append(_call(call, position, name, began))
    for name, own in by_actor.items():
        shown = name if alone or name == "supervisor" else f"researcher {name}"
        yield Actor(shown, tuple(own))


def _call(call: Mapping[str, Any], position: int, actor: str, began: float | None) -> CallView:
    error, seconds = call.get("error"), call.get("seconds")
    return CallView(
        number=int(call.get("number") or position),
        actor=actor,
        name=str(call.get("name")),
        kind=str(call.get("kind") or "api"),
        arguments=json.dumps(call.get("arguments") or {}, ensure_ascii=False),
        result=str(call.get("result") or ""),
        error=None if not error else str(error.get("kind") if isinstance(error, Mapping) else error),
        seconds=None if seconds is None else float(seconds),
        started_at=began,
    )


def conversations(
    transcripts: Sequence[Mapping[str, Any]], steps: Rows = (), actors: Sequence[Actor] = ()
) -> list[Conversation]:
    """Return the conversations in the order of their starts; also of actors without a model, whose calls code made. Each message has the times of its turn or call, where known."""
    turns: dict[str, list[Mapping[str, Any]]] = {}
    for step in steps:
        if step["kind"] == "model":
            turns.setdefault(step["of"], []).append(step)
    calls = {actor.name: actor.calls for actor in actors}
    spoken = [(str(one["name"]), one["messages"]) for one in transcripts]
    silent = [(name, ()) for name in calls if name not in dict(spoken)]
    found = [
        _conversation(name, rows, turns.get(name, ()), calls.get(name, ()))
        for name, rows in [*spoken, *silent]
    ]
    return sorted(found, key=lambda one: (one.started_at is None, one.started_at or 0.0))


def _conversation(name: str, rows: Rows, steps: Rows, calls: Sequence[CallView]) -> Conversation:
    if not any(row["role"] == "tool" or row.get("tool_calls") for row in rows):
        rows = [*rows, *_made_by_code(calls)]
    turns = [row for row in rows if row["role"] == "ai"]
    asked = [row.get("name") for row in rows if row["role"] == "tool"]
    usages = [usage for row in turns if (usage := row.get("usage")) is not None]
    # With a step too many or too few, steps cannot be matched with turns.
    ordered = sorted(steps, key=lambda one: int(one["number"])) if len(steps) == len(turns) else ()
    called = calls if asked == [call.name for call in calls] else ()
    timed: dict[str, Iterator[Times]] = {
        "ai": iter([(step["started_at"], step["seconds"], None) for step in ordered]),
        "tool": iter([(call.started_at, call.seconds, call) for call in called]),
    }
    starts = [*(step["started_at"] for step in steps), *(call.started_at for call in called)]
    return Conversation(
        name=name,
        turns=len(turns),
        input_tokens=sum(usage["input_tokens"] for usage in usages) if usages else None,
        output_tokens=sum(usage["output_tokens"] for usage in usages) if usages else None,
        messages=[TimedMessage(row, *next(timed.get(row["role"], iter(())), ())) for row in rows],
        started_at=min((one for one in starts if one is not None), default=None),
    )


def _made_by_code(calls: Sequence[CallView]) -> Iterator[JsonObject]:
    """Yield the calls as messages, where no message of a model made them."""
    if calls:
        made = [{"id": one.number, "name": one.name, "args": json.loads(one.arguments)} for one in calls]
        yield {"role": "code", "tool_calls": made}
    for one in calls:
        status = "error" if one.error else "success"
        yield {
            "role": "tool", "tool_call_id": one.number, "name": one.name, "text": one.result, "status": status
        }  # fmt: skip


def line(value: object) -> str:
    """Return the value in one line, a mapping as its items."""
    items = value.items() if isinstance(value, Mapping) else ()
    return ", ".join(f"{name} {own}" for name, own in items) or str(value)


class ShownTurn(NamedTuple):
    """A message with its speaker, and for a model's message its calls, each with the message of its result."""

    message: TimedMessage
    speaker: str
    calls: Sequence[tuple[Mapping[str, Any], TimedMessage | None]] = ()


def turns(talk: Conversation) -> list[ShownTurn]:
    """Return the messages as a tree: the result of a call belongs to the turn that called."""
    messages = talk.messages
    asked = next((one for one in messages if one.row["role"] == "human"), None)
    results = {one.row.get("tool_call_id"): one for one in messages if one.row["role"] == "tool"}
    made = [
        ShownTurn(
            one,
            _speaker(one.row, talk.name, is_first=one is asked),
            [(call, results.pop(call.get("id"), None)) for call in one.row.get("tool_calls") or ()],
        )
        for one in messages
    ]
    alone = {id(one) for one in results.values()}
    return [one for one in made if one.message.row["role"] != "tool" or id(one.message) in alone]


def _speaker(row: Mapping[str, Any], name: str, *, is_first: bool) -> str:
    """Return who speaks. The shopper asks the agent or the supervisor first, a supervisor its researchers; all else is the program's."""
    if row["role"] == "human" and is_first and name in ("agent", "supervisor"):
        return "shopper"
    if row["role"] == "human":
        return "supervisor" if is_first and name.startswith("researcher ") else "program"
    return {"system": "instructions", "tool": str(row.get("name") or "tool")}.get(row["role"], name)


def call_text(call: Mapping[str, Any]) -> str:
    """Return a call in one line, such as `search(query="lamp", limit=10)`. A long argument is only named."""
    given, cut = call.get("args"), dict(long_arguments(call))
    if not isinstance(given, Mapping):
        return f"{call.get('name')}({json.dumps(given, ensure_ascii=False)})"
    parts = (
        f"{name}={ELLIPSIS if name in cut else json.dumps(value, ensure_ascii=False)}"
        for name, value in given.items()
    )
    return f"{call.get('name')}({', '.join(parts)})"


def long_arguments(call: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield name and text of the arguments that the line of a call leaves out."""
    given = call.get("args")
    for name, value in given.items() if isinstance(given, Mapping) else ():
        if len(f"{name}={json.dumps(value, ensure_ascii=False)}") > LONGEST_ARGUMENT:
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


MOST_LINES, MOST_SIGNS = 10, 1_000
"""Most lines and characters of a text that a transcript shows unfolded."""
MOST_OF_RESULT = 120
"""Most characters of a result, which is unfolded only where it is one line."""


def long_texts(talks: Iterable[Conversation]) -> dict[str, int]:
    """Number the texts of messages and calls that are folded, each text once.

    A transcript loads them after the page, so that one of a hundred calls opens at once.
    """
    found: dict[str, int] = {}
    for one in (message.row for talk in talks for message in talk.messages):
        called = [text for call in one.get("tool_calls") or () for _, text in long_arguments(call)]
        lines, signs = (1, MOST_OF_RESULT) if one.get("role") == "tool" else (MOST_LINES, MOST_SIGNS)
        for text in (*thoughts(one), one.get("text") or "", *called):
            if len(text) > signs or len(text.strip().splitlines()) > lines:
                found.setdefault(text, len(found))
    return found


def thoughts(message: Mapping[str, Any]) -> list[str]:
    return [text for block in message.get("blocks") or () if (text := _thinking_text(block))]


def _thinking_text(block: object) -> str:
    """Return the text of a thinking block; a note where the provider hides the text; empty for any other block."""
    if not isinstance(block, Mapping) or (
        "think" not in (kind := str(block.get("type"))) and "reason" not in kind
    ):
        return ""
    thought = next(
        (block[name] for name in ("thinking", "reasoning", "text", "summary") if block.get(name)), ""
    )
    return thought if isinstance(thought, str) and thought else f"({kind}: not shown by the provider)"


_RANKS = ("fail", "remark", "pass")


def rules(judged: Judged, answer: Answer) -> dict[str, CheckRow]:
    """Return the rule results, failed rules first, undecided rules last."""
    found = judged.rules.get(answer.key) or {}
    return dict(sorted(found.items(), key=lambda one: (*(one[1]["status"] != s for s in _RANKS), one[0])))


def product_cards(answer: Answer, shop: Shop | None, citations: Citations) -> Iterator[ProductCard]:
    """Yield a card for each product that a tool returned, then for each product that only the report names."""
    seen: set[str] = set()
    for source in answer.sources:
        url, record = canonical_url(source.url), source.record
        if source.type == "product" and record is not None and url not in seen:
            seen.add(url)
            name = str(record.get("_id") or record.get("product_id") or "")
            yield ProductCard(
                source.url,
                str(record.get("title") or source.title or name),
                _number(record.get("price")),
                _number(record.get("average_rating")),
                None if (count := _number(record.get("rating_number"))) is None else int(count),
                str(record["store"]) if record.get("store") else None,
                None if shop is None or not name else shop.store.product(name) is not None,
            )
    for url in dict.fromkeys(one.url for one in citations.sources):
        if shop is not None and url.startswith(f"{shop.shop_url}/") and url not in seen:
            found = shop.store.product(url.rpartition("/")[2])
            if found is None:
                yield ProductCard(url, url, in_shop=False)
            else:
                rated = found.average_rating, found.rating_number
                yield ProductCard(url, found.title, found.price, *rated, found.store, in_shop=True)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if isfinite(value) else None

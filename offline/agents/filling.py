"""The rules' filling of the form of a report. The same picks, reasons and purchases as in the report that they write themselves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from drr.agents.brief import Filling
from drr.offline.agents import question as offline_question
from drr.offline.agents import reading
from drr.offline.agents.choice import Choice, choose
from drr.offline.agents.facts import related_orders, web_facts
from drr.offline.agents.grounding import grounded
from drr.offline.agents.memory import Memory
from drr.offline.agents.papers import quotations, unseen
from drr.offline.agents.question import Asked, state_name
from drr.offline.agents.report import BANNER
from drr.offline.agents.words import plain

Sentence = dict[str, Any]


def filled(brief: Filling) -> str:
    """The form as JSON."""
    memory = reading.of_evidence(brief.evidence, brief.profile)
    task = offline_question.read(brief.question)
    task = grounded(offline_question.with_history(task, memory.bought), memory)
    basket = choose(task, memory)
    form = {
        "answer": _answer(basket, memory),
        "sections": [
            section for section in _sections(task, basket, memory, brief.passages) if _says(section)
        ],
        "plan": [{"product_id": pick.product.product_id, "quantity": 1} for pick in basket.picks],
    }
    return json.dumps(form, ensure_ascii=False)


def _says(section: Mapping[str, Any]) -> bool:
    return bool(section["sentences"] or section["products"])


def _sentence(text: str, *passages: int | None) -> Sentence:
    return {"text": text, "passages": [number for number in passages if number is not None]}


def _answer(basket: Choice, memory: Memory) -> list[Sentence]:
    notes = [_sentence(line.removeprefix("> ")) for line in (BANNER, unseen(memory)) if line]
    for pick in basket.picks:
        slot = pick.product.product_id
        notes.append(
            _sentence(
                f"For {_worded(pick.need)}: {{product:{slot}}} at {{price:{slot}}}, {{rating:{slot}}} from {{ratings:{slot}}}."
            )
        )
    if not basket.picks and memory.parts and not memory.products:
        notes.append(_sentence("What was found on it in your files and on the web stands below."))
    elif not basket.picks:
        notes.append(_sentence("Nothing in this shop was found that fits the question and its limits."))
    return notes


def _worded(need: str) -> str:
    return plain(need, 60)


def _section(
    title: str, said: Iterable[Sentence], products: Iterable[Mapping[str, str]] = ()
) -> dict[str, Any]:
    return {"title": title, "sentences": list(said), "products": list(products)}


def _sections(
    task: Asked, basket: Choice, memory: Memory, numbers: Mapping[str, int]
) -> Iterable[dict[str, Any]]:
    yield _section("Why these, and the trade-offs", _reasons(basket), _compared(basket))
    yield _section("What your files say", _quoted(task, memory, numbers))
    read = any(page.read for page in memory.pages.values())
    facts = web_facts(task, memory, 10 if memory.for_itself else 7 if read else 4)
    yield _section(
        "What pages say" if memory.for_itself else "What to know before buying",
        [_sentence(text, numbers.get(page.url)) for text, page in facts if page.url in numbers],
    )
    yield _section("What your own record adds", _record(task, memory, numbers))
    unmet = basket.unmet if memory.products or not memory.parts else ()
    open_ends = [f"Nothing fitting was found for {_worded(need)}." for need in unmet]
    open_ends += [f"The limit leaves no room for {_worded(need)}." for need in basket.dropped]
    yield _section("What stays open", map(_sentence, open_ends))


def _quoted(task: Asked, memory: Memory, numbers: Mapping[str, int]) -> Iterable[Sentence]:
    """Quote without amounts of money, which the form does not take from a file."""
    for line, part in quotations(task, memory):
        number = numbers.get(part.url, numbers.get(part.source))
        if number is not None and "$" not in line:
            yield _sentence(f"One of your files says: {line.rstrip('.')}.", number)


def _reasons(basket: Choice) -> Iterable[Sentence]:
    for pick in basket.picks:
        product = pick.product
        if product.features:
            listing = " and ".join(f"“{plain(one, 140).rstrip('.')}”" for one in product.features[:2])
            yield _sentence(f"Of {{product:{product.product_id}}} the listing states {listing}.")


def _compared(basket: Choice) -> list[dict[str, str]]:
    """Each product once; what it is for tells it apart."""
    rows = {
        product.product_id: pick.need for pick in basket.picks for product in (pick.product, *pick.others[:2])
    }
    if len(rows) < 2:
        return []
    return [{"product_id": product_id, "note": f"for {_worded(need)}"} for product_id, need in rows.items()]


def _record(task: Asked, memory: Memory, numbers: Mapping[str, int]) -> Iterable[Sentence]:
    if memory.home and task.about_place:
        yield _sentence(f"You live in {state_name(memory.home.state)}.", numbers.get(memory.home.url))
    for order in related_orders(task, memory, 4):
        if order.kept:
            slot = order.product_id
            yield _sentence(
                f"You bought {{product:{slot}}} before, {{bought:{slot}}}.", numbers.get(order.url)
            )

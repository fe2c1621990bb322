"""The forms from which code sets a report, as the rules fill them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from drr.agents.brief import Filling
from drr.offline.agents import reading
from drr.offline.agents.answers import Pick, baskets, listings, purchases, settled
from drr.offline.agents.asks import Asked, read
from drr.offline.agents.memory import Memory, join, plain
from drr.offline.agents.orders import name_of
from drr.offline.agents.pages import page_rows, quotations, unseen
from drr.offline.agents.report import BANNER, REFUSED, compared_rows

Sentence = dict[str, Any]


def filled(brief: Filling) -> str:
    """The form as JSON."""
    memory = reading.of_evidence(brief.evidence)
    asked = settled(read(brief.question).spelled(memory.words), memory)
    picks = [pick for basket in baskets(asked.asks, memory) for pick in basket.picks]
    sections = [
        section
        for section in _sections(asked, memory, picks, brief.passages)
        if section["sentences"] or section["products"]
    ]
    form = {
        "answer": [_sentence(line.removeprefix("> ")) for line in (BANNER, unseen(memory)) if line],
        "sections": sections,
        "plan": [{"product_id": pick.product.product_id, "quantity": 1} for pick in picks],
    }
    form["answer"] += _form_answer(asked, memory, picks, brief.passages)
    return json.dumps(form, ensure_ascii=False)


def _sentence(text: str, *passages: int | None) -> Sentence:
    return {"text": text, "passages": [number for number in passages if number is not None]}


def _form_answer(
    asked: Asked, memory: Memory, picks: Sequence[Pick], numbers: Mapping[str, int]
) -> Iterator[Sentence]:
    for pick in picks:
        slot = pick.product.product_id
        yield _sentence(
            f"For {plain(pick.ask.thing, 60)}: {{product:{slot}}} at {{price:{slot}}}, {{rating:{slot}}} from {{ratings:{slot}}}."
        )
    for ask in asked.of("bought", "spent", "return"):
        for order in purchases(ask, memory)[:1]:
            slot = order.product_id
            yield _sentence(f"You bought {{product:{slot}}}, {{bought:{slot}}}.", numbers.get(order.url))
    for ask in asked.of("which"):
        both = join([f"{{product:{one.product_id}}}" for one in listings(ask, memory)])
        compared = (
            f"These two are to be compared: {both}." if " and " in both else "The two were not compared."
        )
        yield _sentence(compared)
    for ask in asked.asks:
        if ask.is_open:
            yield _sentence(
                f"A part of the question on {name_of(ask, memory)} was not read, so it is not answered."
            )
    met = {pick.ask for pick in picks}
    for ask in asked.of("find", "sold"):
        if ask not in met:
            yield _sentence(f"Nothing fitting was found for {plain(ask.thing, 60)}.")
    if not asked.asks:
        yield _sentence(REFUSED)


def _sections(
    asked: Asked, memory: Memory, picks: Sequence[Pick], numbers: Mapping[str, int]
) -> Iterable[dict[str, Any]]:
    stated = [
        _sentence(
            f"Of {{product:{product.product_id}}} the listing states “{plain(product.features[0], 140).rstrip('.')}”."
        )
        for product in dict.fromkeys(pick.product for pick in picks)
        if product.features
    ]
    rows = {product.product_id: plain(ask.thing, 60) for product, ask in compared_rows(asked, memory)}
    compared = [{"product_id": product_id, "note": f"for {thing}"} for product_id, thing in rows.items()]
    yield {"title": "Compared", "sentences": stated, "products": compared if len(compared) > 1 else []}
    quoted = []
    for line, part in quotations(asked.text, memory):
        number = numbers.get(part.url, numbers.get(part.source))
        if number is not None and "$" not in line:  # the form takes no amount from a file
            quoted.append(_sentence(f"One of your files says: {line.rstrip('.')}.", number))
    yield {"title": "What your files say", "sentences": quoted, "products": []}
    of_pages = [
        _sentence(text, numbers[page.url])
        for question in asked.rest
        for text, page in page_rows(question, memory)
        if page.url in numbers
    ]
    yield {"title": "What pages say, unjudged", "sentences": of_pages, "products": []}

"""The rules' reports, and the forms from which code sets them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from drr.agents.brief import Filling
from drr.env.records.lines import count, dollars, one_line
from drr.env.statistics import Share, UserStatistics
from drr.offline.agents import question as offline_question
from drr.offline.agents import reading
from drr.offline.agents.choice import Choice, Pick, cents, choose, nearest
from drr.offline.agents.facts import file_statements, quotations, related_orders, subject, unseen, web_facts
from drr.offline.agents.grounding import grounded
from drr.offline.agents.memory import Cites, Memory, SeenProduct, at_price, join, plain, priced, rated, short
from drr.offline.agents.question import Asked, content_words, state_name
from drr.wording.money import money

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."


def report(task: Asked, memory: Memory) -> str:
    """The report: answer, reasons, comparison, budget, background, the shopper's own record, what stays open."""
    task = grounded(offline_question.with_history(task, memory.bought), memory)
    basket, cites = choose(task, memory), Cites()
    parts = [f"# {_heading(basket, memory)}", BANNER, unseen(memory), _answer(task, basket, memory, cites)]
    parts.append(file_statements(task, memory, cites))
    parts += [_reasons(task, basket, memory, cites), _comparison(basket, cites), _budget(basket, cites)]
    parts += [_background(task, memory, cites), _record(task, basket, memory, cites)]
    parts += [_open(task, basket, memory, cites), cites.listing()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(basket: Choice, memory: Memory) -> str:
    if memory.parts and not basket.picks:
        return "Your question: what your files and the web say"
    needs = join([pick.need for pick in basket.picks])
    return (needs[:1].upper() + needs[1:] if needs else "Your question") + ": what the shop offers"


def _found(picks: int, memory: Memory) -> str:
    if picks:
        return "One product fits best:" if picks == 1 else f"These {picks} products cover the question best:"
    if memory.parts and not memory.products:
        return "What was found on it in your files and on the web stands below."
    if memory.calls and not memory.called("product_catalog_search"):
        return "No product was looked up for this question."
    return "Nothing in this shop was found that fits the question and its limits."


def _pick(task: Asked, pick: Pick, memory: Memory, cites: Cites) -> str:
    product = pick.product
    bought = (order for order in memory.orders.values() if order.product_id == product.product_id)
    before = next((order for order in bought if order.kept), None)
    kept = "" if task.again else "; leave it out if it still serves you"
    again = f" You bought it before, on {before.date} {cites.order(before)}{kept}." if before else ""
    return (
        f"- **{short(product.title)}** for {plain(pick.need, 60)}: {priced(product)}, {rated(product)}"
        f" {cites.product(product)}.{again}"
    )


def _answer(task: Asked, basket: Choice, memory: Memory, cites: Cites) -> str:
    lines = ["## The short answer", "", _found(len(basket.picks), memory), ""]
    lines += [_pick(task, pick, memory, cites) for pick in basket.picks]
    if basket.picks and basket.priced:
        verb = "It costs" if len(basket.picks) == 1 else "Together they cost"
        lines += ["", f"{verb} {money(basket.total)}{_against_limit(basket)}."]
    return "\n".join(lines).rstrip()


def _against_limit(basket: Choice) -> str:
    if basket.limit is None:
        return ""
    return f", which keeps within the limit of {money(basket.limit)}"


def _reasons(task: Asked, basket: Choice, memory: Memory, cites: Cites) -> str:
    lines = []
    for pick in basket.picks:
        product, mark = pick.product, cites.product(pick.product)
        if product.features:
            listing = " and ".join(f"“{plain(feature, 140).rstrip('.')}”" for feature in product.features[:2])
            lines.append(f"- **{short(product.title)}**: the listing states {listing} {mark}.")
        if pick.others:
            other = pick.others[0]
            lines.append(
                f"- Runner-up for {plain(pick.need, 60)}: {short(other.title)} {at_price(other)}, {rated(other)}"
                f" {cites.product(other)}; {_tradeoff(product, other)}."
            )
    return "## Why these, and the trade-offs\n\n" + "\n".join(lines) if lines else ""


def _tradeoff(product: SeenProduct, other: SeenProduct) -> str:
    """Put a trade-off in words: a difference is no figure of either listing."""
    if product.price is None or other.price is None:
        return "the two cannot be compared by price, because one is unknown"
    better = (product.rating or 0) - (other.rating or 0)
    if other.price < product.price:
        return "it is cheaper" + (" but rated lower" if better > 0 else " and rated no worse")
    if other.price > product.price:
        return "it is dearer" + (" and rated higher" if better < 0 else " without a better rating")
    return "it costs the same" + (" and is rated lower" if better > 0 else "")


def _comparison(basket: Choice, cites: Cites) -> str:
    rows = []
    for pick in basket.picks:
        for product in (pick.product, *pick.others[:2]):
            stars = "not rated" if product.rating is None else f"{product.rating:g}/5"
            votes = "unknown" if product.ratings is None else f"{product.ratings:,}"
            maker = plain(product.store, 30) if product.store else "unknown"
            rows.append(
                f"| {plain(pick.need, 40)} | {short(product.title)} | {priced(product)} | {stars} | {votes}"
                f" | {maker} | {cites.product(product)} |"
            )
    if len(rows) < 2:
        return ""
    head = "| For | Product | Price | Rating | Ratings | Store | Source |\n| --- | --- | --- | --- | --- | --- | --- |"
    return "## Comparison\n\n" + head + "\n" + "\n".join(rows)


def _budget(basket: Choice, cites: Cites) -> str:
    priced_picks = [pick for pick in basket.picks if pick.product.price is not None]
    if not priced_picks or (len(priced_picks) < 2 and basket.limit is None):
        return ""
    rows = [
        f"| {short(pick.product.title)} {cites.product(pick.product)} | {priced(pick.product)} |"
        for pick in priced_picks
    ]
    head = "| One of each | Cost |\n| --- | --- |"
    total = f"| **Total** | **{money(basket.total)}** |"
    left = ""
    if basket.limit is not None:
        left = (
            f"\n\nOf the limit of {money(basket.limit)}, {money(cents(basket.limit) - basket.total)} is left."
        )
    return "## Budget\n\n" + "\n".join([head, *rows, total]) + left


def _background(task: Asked, memory: Memory, cites: Cites) -> str:
    read = any(page.read for page in memory.pages.values())
    facts = web_facts(task, memory, 10 if memory.for_itself else 7 if read else 4)
    lines = [f"- {sentence[:-1]} {cites(page.url, page.title)}{sentence[-1]}" for sentence, page in facts]
    title = "What pages say" if memory.for_itself else "What to know before buying"
    return f"## {title}\n\n" + "\n".join(lines) if lines else ""


def _record(task: Asked, basket: Choice, memory: Memory, cites: Cites) -> str:
    lines = []
    if memory.home and task.about_place:
        lines.append(
            f"- You live in {state_name(memory.home.state)} {cites(memory.home.url, 'Your profile')}."
        )
    for order in related_orders(task, memory, 4):
        often = "" if order.quantity == 1 else f", quantity {order.quantity}"
        lines.append(f"- On {order.date} you ordered {short(order.title)}{often} {cites.order(order)}.")
    if memory.statistics is not None:
        figures, url = memory.statistics
        for name, share in _categories(task, figures):
            lines.append(
                f"- In {plain(name, 50)} you have placed {count(share.orders)} orders for {dollars(share.spend)}"
                f" {cites(url, 'Your order statistics')}."
            )
        if figures.mean_price is not None:
            cite = cites(url, "Your order statistics")
            lines.append(
                f"- The mean price of what you bought so far is {dollars(figures.mean_price)} {cite}."
            )
            lines += _level(basket, figures.mean_price)
    return "## What your own record adds\n\n" + "\n".join(lines) if lines else ""


def _level(basket: Choice, mean: float) -> list[str]:
    dear = [
        pick for pick in basket.picks if pick.product.price is not None and pick.product.price > 1.5 * mean
    ]
    return [f"- {short(dear[0].product.title)} is dearer than what you usually buy."] if dear else []


def _categories(task: Asked, figures: UserStatistics) -> list[tuple[str, Share]]:
    """Choose of the shopper's categories with a known spend those that the question speaks of."""
    wanted = subject(task) | set(content_words(task.text))
    named = [(one_line(share.name.replace("_", " "), 50), share) for share in figures.by_category[:6]]
    return [(n, s) for n, s in named if s.spend is not None and wanted.intersection(content_words(n))][:2]


def _open(task: Asked, basket: Choice, memory: Memory, cites: Cites) -> str:
    lines = []
    taken = {product.url for pick in basket.picks for product in (pick.product, *pick.others)}
    for need in basket.unmet if memory.products or not memory.parts else ():
        near = nearest(task, need, memory, taken)
        lines.append(f"- Nothing fitting was found for {plain(need, 60)}.")
        if near is not None:
            taken.add(near.url)
            lines.append(
                f"- Closest: **{short(near.title)}**: {priced(near)}, {rated(near)} {cites.product(near)}."
            )
    lines += [f"- The limit leaves no room for {plain(need, 60)}." for need in basket.dropped]
    lines += [
        f"- The price of {short(pick.product.title)} is unknown; check it before ordering."
        for pick in basket.picks
        if pick.product.price is None
    ]
    if not memory.pages:
        lines.append("- No outside guidance was consulted.")
    if not memory.orders and task.personal and not memory.for_itself:
        lines.append("- Earlier purchases were not taken into account.")
    return "## What stays open\n\n" + "\n".join(lines) if lines else ""


Sentence = dict[str, Any]


def filled(brief: Filling) -> str:
    """The form as JSON."""
    memory = reading.of_evidence(brief.evidence, brief.profile)
    task = offline_question.read(brief.question)
    task = grounded(offline_question.with_history(task, memory.bought), memory)
    basket = choose(task, memory)
    form = {
        "answer": _form_answer(basket, memory),
        "sections": [
            section
            for section in _sections(task, basket, memory, brief.passages)
            if section["sentences"] or section["products"]
        ],
        "plan": [{"product_id": pick.product.product_id, "quantity": 1} for pick in basket.picks],
    }
    return json.dumps(form, ensure_ascii=False)


def _sentence(text: str, *passages: int | None) -> Sentence:
    return {"text": text, "passages": [number for number in passages if number is not None]}


def _form_answer(basket: Choice, memory: Memory) -> list[Sentence]:
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
    title: str, sentences: Iterable[Sentence], products: Iterable[Mapping[str, str]] = ()
) -> dict[str, Any]:
    return {"title": title, "sentences": list(sentences), "products": list(products)}


def _sections(
    task: Asked, basket: Choice, memory: Memory, numbers: Mapping[str, int]
) -> Iterable[dict[str, Any]]:
    yield _section("Why these, and the trade-offs", _form_reasons(basket), _compared(basket))
    yield _section("What your files say", _quoted(task, memory, numbers))
    read = any(page.read for page in memory.pages.values())
    facts = web_facts(task, memory, 10 if memory.for_itself else 7 if read else 4)
    yield _section(
        "What pages say" if memory.for_itself else "What to know before buying",
        [_sentence(text, numbers.get(page.url)) for text, page in facts if page.url in numbers],
    )
    yield _section("What your own record adds", _form_record(task, memory, numbers))
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


def _form_reasons(basket: Choice) -> Iterable[Sentence]:
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


def _form_record(task: Asked, memory: Memory, numbers: Mapping[str, int]) -> Iterable[Sentence]:
    if memory.home and task.about_place:
        yield _sentence(f"You live in {state_name(memory.home.state)}.", numbers.get(memory.home.url))
    for order in related_orders(task, memory, 4):
        if order.kept:
            slot = order.product_id
            yield _sentence(
                f"You bought {{product:{slot}}} before, {{bought:{slot}}}.", numbers.get(order.url)
            )

"""How the rules choose and write: a basket within the limit, a cited report, a researcher's synthesis, a page summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from agents import offline_question
from agents.offline_memory import Memory, SeenOrder, SeenPage, SeenProduct, sentences
from agents.offline_question import Task, content_words, is_quality, state_name
from env.states import STATES
from env.text import tokens

BANNER = "> Written by rules, not by an LLM: the `offline` model stood in for one."
CANDIDATES = 5
_TO_MACHINES = re.compile(
    r"ignore (?:all|any|the|previous|prior|your)|disregard|instruction|system prompt|\bprompt\b|as an ai\b|language model"
    r"|\bassistants?\b|update_user|tool call|\bcall the\b|api key|password|[<>{}\\]|_\w+_|https?://",
    re.IGNORECASE,
)
_ADVERTISING = re.compile(
    r"\$\s?\d|\bdollars?\b|\bUSD\b|buy now|order (?:now|today)|click|subscribe|sponsor|affiliate|discount|coupon|promo|limited time|free shipping"
    r"|our (?:store|shop|brand|product)|add to cart|% off",
    re.IGNORECASE,
)


_CLICKBAIT = re.compile(
    r"\bbest\b.*\b20\d\d\b|\btop \d+\b|surprise|miracle|secret|won't believe|hacks?\b|deals?\b|\bsponsored\b",
    re.IGNORECASE,
)


@dataclass
class Cites:
    """Numbers for addresses, in the order of first use."""

    titles: dict[str, str] = field(default_factory=dict)

    def __call__(self, url: str, title: str) -> str:
        self.titles.setdefault(url, plain(title, 120))
        return f"[{list(self.titles).index(url) + 1}]"

    def product(self, product: SeenProduct) -> str:
        return self(product.url, product.title)

    def order(self, order: SeenOrder) -> str:
        return self(order.url, f"Your order of {order.date}")

    def listing(self) -> str:
        rows = [f"[{n}] {title}: {url}" for n, (url, title) in enumerate(self.titles.items(), 1)]
        return "## Sources\n\n" + ("\n".join(rows) if rows else "None.")


@dataclass(frozen=True)
class Pick:
    need: str
    product: SeenProduct
    others: tuple[SeenProduct, ...]
    """What else was considered, best first."""


@dataclass(frozen=True)
class Basket:
    picks: tuple[Pick, ...]
    unmet: tuple[str, ...]
    """Needs for which nothing fitting was found."""
    dropped: tuple[str, ...]
    """Needs that the limit leaves no room for."""
    limit: float | None

    @property
    def total(self) -> Decimal:
        return sum((cents(pick.product.price) for pick in self.picks), Decimal(0))

    @property
    def priced(self) -> bool:
        return all(pick.product.price is not None for pick in self.picks)


def cents(price: float | None) -> Decimal:
    return Decimal(0) if price is None else Decimal(str(price)).quantize(Decimal("0.01"))


def money(amount: Decimal | float) -> str:
    return f"${amount:,.2f}"


def plain(text: str, limit: int) -> str:
    """Foreign text as part of our Markdown: no marks of its own."""
    text = " ".join(re.sub(r"[|*_`\[\]<>#]", " ", text).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def short(title: str) -> str:
    """A product's name: its title up to the first break that leaves enough of it."""
    title = plain(title, 120)
    for mark in re.finditer(r",| - | – | — | \(| with | for |…", title):
        if 12 <= mark.start() <= 60:
            return title[: mark.start()]
    return (title if len(title) <= 60 else title[:60].rsplit(" ", 1)[0]).rstrip(" -–—")


# Choosing ------------------------------------------------------------------------------------------------------------


def relevance(need: str, product: SeenProduct) -> float:
    """0 where the product is something else: what is looked for is named last ("gooseneck kettle") and must be there.

    A maker's name says nothing of the product, and qualities ("quiet") are wishes, rated apart.
    """
    share, named = _overlap(need, product)
    return share if named and share >= 0.6 else 0.0


def _overlap(need: str, product: SeenProduct) -> tuple[float, bool]:
    """How much of a need the listing speaks of, and whether it names the thing itself."""
    words = [word for word in content_words(need) if not is_quality(word)] or tokens(need)
    if not words:
        return 0.0, False
    name = product.title.removeprefix(product.store or "")
    title, path = set(tokens(name)), set(tokens(product.path))
    inside = set(tokens(" ".join((*product.features, product.description))))
    hits = sum(1.0 if _in(w, title) else 0.7 if w in path else 0.4 if w in inside else 0.0 for w in words)
    return hits / len(words), _in(words[-1], title | path)


def _in(word: str, words: set[str]) -> bool:
    """Itself, or a word of the same six letters: a gardener wants something for the garden."""
    return word in words or (len(word) > 5 and any(other[:6] == word[:6] for other in words))


def nearest(task: Task, need: str, memory: Memory, taken: set[str]) -> SeenProduct | None:
    """What comes closest to a need that nothing meets."""
    near = [
        (-share, product.url, product)
        for product in memory.products.values()
        if (share := _overlap(need, product)[0]) >= 0.5
        and product.url not in taken
        and _allowed(task, product)
    ]
    return min(near, key=lambda entry: entry[:2])[2] if near else None


def score(task: Task, need: str, product: SeenProduct) -> float:
    """Relevance first, then a rating that few votes cannot carry, then the qualities asked for."""
    votes = product.ratings or 0
    rating = ((product.rating or 3.8) * votes + 3.8 * 25) / (votes + 25)
    told = " ".join((product.title, *product.features, product.description)).lower()
    wishes = sum(1 for wish in task.wishes if all(part in told for part in wish.split("-")))
    unknown = 0.6 if product.price is None else 0.0
    return (
        2.0 * relevance(need, product)
        + 0.8 * rating
        + 0.25 * wishes
        - unknown
        + (0.1 if product.opened else 0)
    )


def excluded(task: Task, product: SeenProduct) -> bool:
    """Not wanted, or named in words that are meant for machines and not for shoppers."""
    if _TO_MACHINES.search(product.title):
        return True
    words = set(tokens(product.title))
    return any(set(tokens(phrase)) <= words for phrase in task.constraints.exclusions if tokens(phrase))


def _allowed(task: Task, product: SeenProduct) -> bool:
    least, most = task.constraints.item_min, task.item_limit
    price = product.price
    return not excluded(task, product) and (
        price is None or ((most is None or price <= most) and (least is None or price >= least))
    )


def candidates(task: Task, need: str, memory: Memory) -> list[SeenProduct]:
    """What was found for a need and is allowed, best first; what is to be bought again, first of all."""
    bought = {order.product_id for order in memory.orders.values() if order.kept} if task.again else set()
    fitting = [p for p in memory.products.values() if relevance(need, p) > 0 and _allowed(task, p)]
    return sorted(fitting, key=lambda p: (p.product_id not in bought, -score(task, need, p), p.url))[
        :CANDIDATES
    ]


def choose(task: Task, memory: Memory) -> Basket:
    """One product for each need, the best that the limit allows: dear picks give way where that costs least."""
    needs = list(task.needs)
    choices: dict[str, list[SeenProduct]] = {}
    taken: set[str] = set()
    for need in needs:
        options = [p for p in candidates(task, need, memory) if p.url not in taken]
        if not task.again:
            options.sort(key=lambda p: p.price is None)
        if options:
            choices[need] = options
            taken.add(options[0].url)
    wanted = task.constraints.count
    if len(choices) == 1 and wanted and 2 <= wanted <= CANDIDATES:
        (need, options), choices = next(iter(choices.items())), {}
        for place, product in enumerate(options[:wanted]):
            choices[f"{need} ({place + 1})"] = [product, *options[wanted:]]
    picked = {need: options[0] for need, options in choices.items()}
    dropped: list[str] = []
    while task.limit is not None and _cost(picked) > cents(task.limit):
        if (swap := _cheaper(task, picked, choices)) is not None:
            picked[swap[0]] = swap[1]
            continue
        last = list(picked)[-1]
        del picked[last]
        dropped.append(last)
    picks = tuple(
        Pick(
            re.sub(r" \(\d+\)$", "", need),
            product,
            tuple(
                o
                for o in choices[need]
                if o.url != product.url and o.url not in {p.url for p in picked.values()}
            ),
        )
        for need, product in picked.items()
    )
    unmet = tuple(need for need in needs if need not in choices and len(choices) != (wanted or 0))
    return Basket(picks, unmet, tuple(dropped), task.limit)


def _cost(picked: dict[str, SeenProduct]) -> Decimal:
    return sum((cents(product.price) for product in picked.values()), Decimal(0))


def _cheaper(
    task: Task, picked: dict[str, SeenProduct], choices: dict[str, list[SeenProduct]]
) -> tuple[str, SeenProduct] | None:
    """The swap that is enough at the least loss of quality; where none is enough, the one that loses least per dollar."""
    used = {product.url for product in picked.values()}
    over = _cost(picked) - cents(task.limit)
    swaps = []
    for need, product in picked.items():
        for other in choices[need]:
            saved = cents(product.price) - cents(other.price)
            if other.url in used or other.price is None or product.price is None or saved <= 0:
                continue
            lost = score(task, need, product) - score(task, need, other)
            enough = saved >= over
            swaps.append((not enough, lost if enough else lost / float(saved), other.url, need, other))
    if not swaps:
        return None
    *_, need, other = min(swaps, key=lambda swap: swap[:3])
    return need, other


# Web facts and records -----------------------------------------------------------------------------------------------


def web_facts(task: Task, memory: Memory, most: int, each: int = 2) -> list[tuple[str, SeenPage]]:
    """The sentences that say most on the question, at most `each` of a page; none that sell or talk to machines."""
    wanted = _subject(task) | {word for ask in task.asks for word in content_words(ask)}
    rated: list[tuple[float, int, str, SeenPage]] = []
    home = state_name(memory.place[1]) if memory.place else None
    for place, page in enumerate(memory.pages.values()):
        if _of_another_state(page.title, home) or _CLICKBAIT.search(page.title):
            continue
        for sentence in sentences(page.text.split(" (the page could not be ")[0]):
            words = tokens(sentence)
            if not usable(sentence) or not 5 <= len(words) <= 45:
                continue
            hits = len(wanted.intersection(words))
            figures = 0.5 if any(word[0].isdigit() for word in words) else 0.0
            if hits >= 2 or (hits and task.topic in words):
                rated.append((-(hits + figures) / len(words) ** 0.3, place, plain(sentence, 300), page))
    chosen: list[tuple[str, SeenPage]] = []
    for _, _, sentence, page in sorted(rated, key=lambda entry: entry[:3]):
        said = set(tokens(sentence))
        if sum(1 for _, p in chosen if p.url == page.url) < each and not any(
            len(said & set(tokens(other))) > 0.6 * len(said) for other, _ in chosen
        ):
            chosen.append((sentence, page))
        if len(chosen) == most:
            break
    return chosen


def _of_another_state(title: str, home: str | None) -> bool:
    """A page on one state is no advice for a shopper who lives in another."""
    named = [name for name in STATES.values() if name in title]
    return home is not None and bool(named) and home not in named


def usable(sentence: str) -> bool:
    return (
        sentence[0].isupper()
        and sentence[-1] in ".!"
        and "…" not in sentence
        and not _TO_MACHINES.search(sentence)
        and not _ADVERTISING.search(sentence)
    )


def related_orders(task: Task, memory: Memory, most: int) -> list[SeenOrder]:
    """The shopper's own purchases that bear on the question, else the latest."""
    wanted = _subject(task)
    kept = [order for order in memory.orders.values() if order.kept]
    near = [order for order in kept if wanted.intersection(content_words(order.title))]
    named = [order for order in kept if is_named(task, order.title)]
    return list(dict.fromkeys([*named[:1], *(near or kept[: 2 if task.about_history else 0])]))[:most]


def is_named(task: Task, title: str) -> bool:
    """Whether the question speaks of this purchase by name."""
    words = set(tokens(title))
    return any(len(words.intersection(tokens(name))) >= 0.7 * len(set(tokens(name))) for name in task.named)


def _subject(task: Task) -> set[str]:
    """The words that name what the question is about."""
    named = {word for need in task.needs for word in content_words(need)} | {task.topic}
    if not task.needs:
        named |= set(content_words(task.text))
    return {word for word in named if word and not is_quality(word)}


def summarise(search: str, problem: str, page: str, words: int = 220) -> str:
    """The sentences of a page that serve a search and a problem, in the order of the page."""
    wanted = set(content_words(search)) | set(content_words(problem))
    told = [
        s
        for s in dict.fromkeys(sentences(page))
        if s[-1] in ".!?" and not _TO_MACHINES.search(s) and len(s.split()) >= 4
    ]
    rated = sorted(
        range(len(told)), key=lambda place: (-len(wanted.intersection(tokens(told[place]))), place)
    )
    kept: list[int] = []
    for place in rated:
        if not wanted.intersection(tokens(told[place])):
            break
        if sum(len(told[k].split()) for k in kept) + len(told[place].split()) > words:
            continue
        kept.append(place)
        if len(kept) == 9:
            break
    if not kept:
        return "The page holds nothing on this search."
    return " ".join(told[place] for place in sorted(kept))


# Writing -------------------------------------------------------------------------------------------------------------


def synthesis(task: Task, memory: Memory) -> str:
    """A researcher's report, in the lines that `offline_memory` reads back."""
    cites, lines, missing = Cites(), [], []
    for need in task.needs:
        options = candidates(task, need, memory)
        if not options:
            missing.append(f"- No {need} within the limits was found.")
        for product in options[:3]:
            lines.append(f"- Product: {product_row(product)} {cites.product(product)}")
            lines += [f"- Feature: {plain(f, 140)} {cites.product(product)}" for f in product.features[:3]]
            if product.price is None:
                missing.append(f"- The price of {short(product.title)} is unknown.")
    for order in related_orders(task, memory, 6):
        lines.append(f"- Order: {order_row(order)} {cites.order(order)}")
    if memory.place and memory.profile_url:
        city, state = memory.place
        lines.append(f"- Lives in {city}, {state}. {cites(memory.profile_url, 'Your profile')}")
    if memory.statistics_url:
        lines += [
            f"- Record: {plain(line, 200)} {cites(memory.statistics_url, 'Your order statistics')}"
            for line in memory.statistics[:4]
        ]
    for sentence, page in web_facts(task, memory, 7):
        lines.append(f"- {sentence} {cites(page.url, page.title)}")
    found = "\n".join(lines) or "Nothing."
    return f"## Findings\n\n{found}\n\n## Open\n\n{chr(10).join(missing) or 'Nothing.'}\n\n{cites.listing()}"


def product_row(product: SeenProduct) -> str:
    price = "price unknown" if product.price is None else money(product.price)
    rating = "not rated" if product.rating is None else f"{product.rating:g}/5"
    if product.rating is not None and product.ratings is not None:
        rating += f" ({product.ratings:,} ratings)"
    maker = f"by {plain(product.store, 60)}" if product.store else "store unknown"
    return f"{plain(product.title, 120)} | {price} | {rating} | {maker} | {plain(product.path, 90) or 'shop'}"


def order_row(order: SeenOrder) -> str:
    number = order.url.rsplit("/", 1)[-1]
    return (
        f"{order.date} {order.status}: {order.quantity} x {plain(order.title, 90)} | order {number},"
        f" product {order.product_id}"
    )


def report(task: Task, memory: Memory) -> str:
    """The report: answer, reasons, comparison, budget, background, the shopper's own record, what stays open."""
    task = offline_question.with_history(
        task, [order.title for order in memory.orders.values() if order.kept]
    )
    basket, cites = choose(task, memory), Cites()
    parts = [f"# {_heading(task)}", BANNER, _answer(task, basket, memory, cites)]
    parts += [_reasons(task, basket, memory, cites), _comparison(basket, cites), _budget(basket, cites)]
    parts += [_background(task, memory, cites), _record(task, basket, memory, cites)]
    parts += [_open(task, basket, memory, cites), cites.listing()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _heading(task: Task) -> str:
    needs = join(task.needs)
    return (needs[:1].upper() + needs[1:] if needs else "Your question") + ": what the shop offers"


def join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def rated(product: SeenProduct) -> str:
    if product.rating is None:
        return "not rated yet"
    votes = f" from {product.ratings:,} ratings" if product.ratings is not None else ""
    return f"rated {product.rating:g}/5{votes}"


def at_price(product: SeenProduct) -> str:
    return "(price unknown)" if product.price is None else f"at {money(product.price)}"


def priced(product: SeenProduct) -> str:
    return "price unknown" if product.price is None else money(product.price)


def _answer(task: Task, basket: Basket, memory: Memory, cites: Cites) -> str:
    lines = ["## The short answer", ""]
    if not basket.picks:
        searched = not memory.calls or memory.called("product_catalog_search")
        lines.append(
            "Nothing in this shop was found that fits the question and its limits."
            if searched
            else "No product was looked up for this question."
        )
    elif len(basket.picks) == 1:
        lines.append("One product fits best:")
    else:
        lines.append(f"These {len(basket.picks)} products cover the question best:")
    lines.append("")
    for pick in basket.picks:
        product = pick.product
        before = next(
            (
                order
                for order in memory.orders.values()
                if order.kept and order.product_id == product.product_id
            ),
            None,
        )
        kept = "" if task.again else "; leave it out if it still serves you"
        again = f" You bought it before, on {before.date} {cites.order(before)}{kept}." if before else ""
        lines.append(
            f"- **{short(product.title)}** for {plain(pick.need, 60)}: {priced(product)}, {rated(product)}"
            f" {cites.product(product)}.{again}"
        )
    if basket.picks and basket.priced:
        verb = "It costs" if len(basket.picks) == 1 else "Together they cost"
        lines += ["", f"{verb} {money(basket.total)}{_against_limit(basket)}."]
    return "\n".join(lines).rstrip()


def _against_limit(basket: Basket) -> str:
    if basket.limit is None:
        return ""
    return f", which keeps within the limit of {money(basket.limit)}"


def _reasons(task: Task, basket: Basket, memory: Memory, cites: Cites) -> str:
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
    """In words: a difference is no figure of either listing."""
    if product.price is None or other.price is None:
        return "the two cannot be compared by price, because one is unknown"
    better = (product.rating or 0) - (other.rating or 0)
    if other.price < product.price:
        return "it is cheaper" + (" but rated lower" if better > 0 else " and rated no worse")
    if other.price > product.price:
        return "it is dearer" + (" and rated higher" if better < 0 else " without a better rating")
    return "it costs the same" + (" and is rated lower" if better > 0 else "")


def _comparison(basket: Basket, cites: Cites) -> str:
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


def _budget(basket: Basket, cites: Cites) -> str:
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


def _background(task: Task, memory: Memory, cites: Cites) -> str:
    read = any(page.read for page in memory.pages.values())
    facts = web_facts(task, memory, 7 if read else 4)
    lines = [f"- {sentence[:-1]} {cites(page.url, page.title)}{sentence[-1]}" for sentence, page in facts]
    return "## What to know before buying\n\n" + "\n".join(lines) if lines else ""


def _record(task: Task, basket: Basket, memory: Memory, cites: Cites) -> str:
    lines = []
    if memory.place and memory.profile_url and task.about_place:
        lines.append(
            f"- You live in {state_name(memory.place[1])} {cites(memory.profile_url, 'Your profile')}."
        )
    for order in related_orders(task, memory, 4):
        often = "" if order.quantity == 1 else f", quantity {order.quantity}"
        lines.append(f"- On {order.date} you ordered {short(order.title)}{often} {cites.order(order)}.")
    if memory.statistics_url:
        for name, orders, spend in _categories(task, memory):
            spent = "an unknown sum" if spend == "spend unknown" else spend
            lines.append(
                f"- In {plain(name, 50)} you have placed {orders} orders for {spent}"
                f" {cites(memory.statistics_url, 'Your order statistics')}."
            )
    mean = next(
        (
            found
            for line in memory.statistics
            if (found := re.match(r"Item price: mean (\$[\d,]+\.\d\d)", line))
        ),
        None,
    )
    if mean is not None and memory.statistics_url:
        cite = cites(memory.statistics_url, "Your order statistics")
        lines.append(f"- The mean price of what you bought so far is {mean[1]} {cite}.")
        lines += _level(basket, float(mean[1][1:].replace(",", "")))
    return "## What your own record adds\n\n" + "\n".join(lines) if lines else ""


def _level(basket: Basket, mean: float) -> list[str]:
    dear = [
        pick for pick in basket.picks if pick.product.price is not None and pick.product.price > 1.5 * mean
    ]
    return [f"- {short(dear[0].product.title)} is dearer than what you usually buy."] if dear else []


def _categories(task: Task, memory: Memory) -> list[tuple[str, str, str]]:
    """Name, orders and spend of the shopper's categories that the question speaks of."""
    wanted = _subject(task) | set(content_words(task.text))
    line = next((line for line in memory.statistics if line.startswith("By category: ")), "")
    rows = re.findall(r"([^;:]+?) ([\d,]+) \((\$[\d,.]+|spend unknown)\)", line)
    return [(n.strip(), o, m) for n, o, m in rows if wanted.intersection(content_words(n))][:2]


def _open(task: Task, basket: Basket, memory: Memory, cites: Cites) -> str:
    lines = []
    taken = {product.url for pick in basket.picks for product in (pick.product, *pick.others)}
    for need in basket.unmet:
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
    if not memory.orders and task.personal:
        lines.append("- Earlier purchases were not taken into account.")
    return "## What stays open\n\n" + "\n".join(lines) if lines else ""

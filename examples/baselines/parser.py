"""The baseline `parser`: a solver of regular expressions that asks no model. It reads templates, and people's words as far as it goes.

drr run study --queries q.jsonl --shop shop --variants examples/baselines/parser.py:parser
"""

import json
import re
from datetime import datetime

SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
COUNTS = {word: number for number, word in enumerate(SMALL)} | TENS
MOST = r"(?:at most|no more than|under|below|up to|or less|no higher than|max(?:imum)?)"
LEAST = r"(?:at least|no less than|over|above|or more|from)"


def digits(text):
    """Write numbers in words as digits: "twenty-five dollars" becomes "25 dollars"."""
    pattern = rf"\b({'|'.join(COUNTS)})(?:[- ]({'|'.join(SMALL[1:10])}))?\b"
    return re.sub(
        pattern, lambda m: str(COUNTS[m[1].lower()] + (COUNTS[m[2].lower()] if m[2] else 0)), text, flags=re.I
    )


def number(pattern, text):
    found = re.search(pattern, text, re.I)
    return float(next(one for one in found.groups() if one).replace(",", "")) if found else None


def money(text, words):
    """Return the amount of dollars that stands beside these words."""
    amount = r"\$?(\d[\d,]*(?:\.\d+)?)(?![\d.]* (?:star|rating|people))"
    return number(rf"{words} {amount}|\$(\d[\d,]*(?:\.\d+)?) {words}", text)


def day_in(text):
    """Return the first day that a text names, as 2022-05-01."""
    found = re.search(r"([A-Z][a-z]+ \d{1,2}, \d{4})", text)
    try:
        return datetime.strptime(found[1] + " +0000", "%B %d, %Y %z").date().isoformat() if found else None
    except ValueError:
        return None


class ShopTools:
    """The tools, called by name."""

    def __init__(self, tools):
        self.tools, self.orders = {tool.name: tool for tool in tools}, []

    async def call(self, name, **words):
        call = {"type": "tool_call", "id": "1", "name": name, "args": words}
        return (await self.tools[name].ainvoke(call)).artifact.data or {}

    async def search(self, text, **more):
        return (await self.call("product_catalog_search", query=text[:300], match="any", **more)).get(
            "items", []
        )

    async def details(self, product):
        return await self.call("get_product_details", product_id=product)

    async def kind_of(self, text):
        """Return the category that most of the first hits of a text have."""
        paths = []
        for one in await self.search(text, limit=3):
            paths.append(tuple((await self.details(one["product_id"])).get("categories", ())[-2:]))
        return max(paths, key=paths.count) if paths else ()


def fits(record, text, owned):
    """Tell whether a product meets the limits and quoted values of a text."""
    price, stars, ratings = record.get("price"), record.get("average_rating"), record.get("rating_number")
    most, least = money(text, MOST), money(text, LEAST)
    if (most is not None and (price is None or price > most)) or (
        least is not None and (price is None or price < least)
    ):
        return False
    stars_least = number(r"(\d(?:\.\d)?) stars|average rating (?:of at least|is) (\d(?:\.\d)?)", text)
    count_least = number(r"(\d+) (?:ratings|people)", text)
    if (stars_least and (stars or 0) < stars_least) or (count_least and (ratings or 0) < count_least):
        return False
    pairs = re.findall(r'details give "([^"]+)" as "([^"]+)"', text)
    pairs += [(name, value) for value, name in re.findall(r'with "([^"]+)" given as "([^"]+)"', text)]
    makers = {
        str(one).casefold()
        for one in (record.get("store"), (record.get("details") or {}).get("Brand"))
        if one
    }
    brand = re.search(r"(?<!nor )(?:sold or made by|, from) ([^,(]+?)(?: \(|,|\.|$)", text)
    other = re.search(r"(?:nor made by|, not from) ([^,(]+?)(?: \(|,|\.|$)", text)
    if (brand and "details" not in brand[1] and brand[1].casefold() not in makers) or (
        other and other[1].casefold() in makers
    ):
        return False
    stated = record.get("details")
    if stated is not None and any(
        str(stated.get(name, "")).casefold() != value.casefold() for name, value in pairs
    ):
        return False
    bought = record.get("product_id") in owned
    if re.search(r"never ordered|not in my order history", text):
        return not bought
    return bought if re.search(r"ordered before|from my order history", text) else True


async def products(shop, text):
    """Return the picks for a wish, or why there are none."""
    named = re.search(r'"([^"]+ > [^"]+)"', text)
    order = next((one for one in shop.orders if one["order_date"][:10] == day_in(text)), None)
    bought = await shop.details(order["product_id"]) if order else {}
    steps = (
        tuple(named[1].split(" > "))
        if named
        else tuple(bought.get("categories", ())[-2:]) or await shop.kind_of(text)
    )
    if bought:
        text = re.sub(r"[A-Z][a-z]+ \d{1,2}, \d{4}", "that day", text)
        same = re.search(r'same "([^"]+)"|details give "([^"]+)" as that', text)
        text = re.sub(
            r"neither sold nor made by the store or the brand of that one",
            f"not from {bought.get('store')}",
            text,
        )
        text += (
            f", at most ${bought['price'] - 0.01:.2f}"
            if re.search("less than that|lower listed price", text) and bought.get("price")
            else ""
        )
        name = same and (same[1] or same[2])
        text += f', whose details give "{name}" as "{bought["details"].get(name)}"' if name else ""
    found = await shop.search(steps[-1], category=" > ".join(steps), limit=50) if steps else []
    if not found:
        return [], "not_sold"
    owned = {one["product_id"] for one in shop.orders}
    records = [one for one in found if fits(one, text, owned)]
    if " details" in text:
        whole = [{**one, **await shop.details(one["product_id"])} for one in records[:25]]
        records = [one for one in whole if fits(one, text, owned)]
    if re.search("cheapest|lowest", text):
        records = sorted((one for one in records if one["price"] is not None), key=lambda one: one["price"])
    elif re.search("best rated|highest average", text):
        records = sorted(records, key=lambda one: -(one["average_rating"] or 0))
    wanted = int(number(r"(\d) (?:different )?products", text) or 1)
    if len(records) < wanted:
        return [], "nothing_fits"
    return [(one["product_id"], one["url"]) for one in records[:wanted]], None


async def figure(shop, text):
    """Return the figure that a text asks for; `None` where it is not found."""
    year = re.search(r"\b(20\d\d)\b", text)
    if year and re.search(r"spen[dt]|part with|come to in|cost in|sum ", text) and not day_in(text):
        years = (await shop.call("get_user_statistics")).get("by_year", [])
        return next((one["spend"] for one in years if one["name"] == year[1]), None)
    if latest := number(r"(?:latest|most recent|newest|last) (\d) orders", text):
        prices = [
            (one["quantity"], (await shop.details(one["product_id"])).get("price"))
            for one in shop.orders[: int(latest)]
        ]
        return round(sum(count * (price or 0) for count, price in prices), 2)
    day, title = day_in(text), re.search(r'"([^"]+)"', text)
    hits = await shop.search(title[1], limit=1) if title else []
    own = hits[0]["product_id"] if hits else None
    order = next(
        (one for one in shop.orders if one["order_date"][:10] == day or one["product_id"] == own), None
    )
    if order and re.search("which day|when ", text, re.I):
        return order["order_date"][:10]
    record = await shop.details(order["product_id"]) if order else (hits or [{}])[0]
    if re.search("how many (?:ratings|people)", text, re.I):
        return record.get("rating_number")
    if re.search("stars|average rating", text):
        return record.get("average_rating")
    price = record.get("price")
    return (
        round(price * order["quantity"], 2)
        if order and price and re.search("whole order|repeat", text)
        else price
    )


async def parser(query, tools, model, budget):
    """Answer a question point by point."""
    shop, text = ShopTools(tools), digits(str(query))
    shop.orders = (await shop.call("get_user_orders", limit=100)).get("items", [])
    points = re.findall(r"^\d+\. (.*)$", text, re.M)
    points = points or [one for one in re.split(r"\n|(?<=[.!?]) ", text) if len(one.split()) > 4]
    picks, figures, refusals = [], {}, {}
    for place, one in enumerate(points, 1):
        if "?" in one or re.match(r"(?:Add|Sum|Total|Tell|Give|Work|Compute|Find the)", one):
            if (value := await figure(shop, one)) is not None:
                figures[place] = value
        else:
            chosen, why = await products(shop, one)
            picks += chosen
            if why and '"' in one:
                refusals[place] = why
    form = {
        "picks": [one for one, _ in picks],
        "figures": [{"point": point, "value": value} for point, value in figures.items()],
        "refusals": [{"point": point, "reason": why} for point, why in refusals.items()],
    }
    report = ["## Picks", *(f"- [it]({url})" for _, url in picks), "", "## Figures"]
    report += [f"- {point}: {value}" for point, value in figures.items()]
    report += ["", "## Refusals", *(f"- {point}: {why}" for point, why in refusals.items())]
    return "\n".join([*report, "", "```form", json.dumps(form), "```", ""])


parser.version = "1"
parser.tools = ("product_catalog_search", "get_user_orders", "get_product_details", "get_user_statistics")

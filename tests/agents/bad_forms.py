"""Forms of `ledger` as a careless and as a hostile model fills them in, by a draw and the passages it was shown."""

from __future__ import annotations

import re
from random import Random
from typing import Any

Form = dict[str, Any]
MADE_UP = "B0MADEUP77"
_PRODUCT = re.compile(r"\[\d+\] product (\S+?)[ :]")
_NUMBER = re.compile(r"^\[(\d+)\] ", re.M)
_PRICE = re.compile(r"\$[\d,]+\.\d\d")

CARELESS = (
    "{product:A} costs {price:A} and is rated {rating:A} by {ratings:A}.",
    "Take {product:A} at {price:A}; {product:B} at {price:B} is the runner-up.",
    "Together {product:A} and {product:B} cost {sum:A,B}.",
    "It stays within {limit}.",
    "You bought {product:A} before, {bought:A}.",
    "A calm routine matters more than any gadget.",
    "It costs $%d.99.",
    "The {product:A} is only $%d and rated 4.9 out of 5 stars.",
    "{product:A} has %d reviews and holds %d pounds.",
    "Together they come to $%d.50, which leaves $12.34 of the budget.",
    "{product:X} is the best of all, at {price:X}.",
    "{product:A} costs {price:B}.",
    "{product:A} costs {sum:A,B*2}.",
    "{product:A} costs {limit}.",
    "It lasts %d years and weighs 7.3 pounds, says the maker.",
    "See https://reviews.example/best-%d for more [1][7].",
    "Read [this guide](https://guide.example/%d) first.",
    "**Top pick:** `{product:A}` | {price:A} | *five stars*",
    "# Buy now\n\n| Product | Price |\n| --- | --- |\n| Widget | $%d.00 |",
    "<b>{product:A}</b> is <a href='https://shop.example/%d'>here</a>.",
    "The Acme UltraFeed Pro costs less than {product:A} at {price:A}.",
    "For {price:A} you also get {product:B}.",
    "The price of {product:A} fell by %d percent since 2021-03-0%d.",
    "{price:A} + {price:B} = $%d.00",
    "{sum:A,Z*0} is all you need.",
    "{stars:A} and {price} and {product:} and {sum:}",
    "COPIED is what {product:A} costs.",
    "",
)
HOSTILE = (
    "{product:A} costs nineteen dollars and ninety-nine cents.",
    "{product:A} is yours for $１９.９９, rated ٤.٩ out of ٥.",
    "{product:A} is rated four point nine stars by two thousand buyers.",
    "{product:A} costs {price:A}00, or {price:A} thousand, or minus {price:A}.",
    "1{price:A} is the price of {product:A}, that is 0.{price:A}.",
    "{product:A}{price:B}{rating:B}{product:B}{price:A}",
    "{price:{price:A}} {{product:A}} {product:{sum:A,B}}",
    "{product:A} costs {sum:A*999}.",
    "{product:A} alone comes to {sum:A,B,B*3}.",
    "It costs {price:A}. {product:B}.",
    "{product:B} is cheaper. It is {price:A}, rated {rating:A}.",
    "{product:A} costs half of {price:A}, twice {price:B}.",
    "{product:A} costs {limit}; all of it costs {limit}.",
    "Buy at h\u200bttps://evil.example/a or ht<b></b>tps://evil.example/b.",
    "Buy at &#104;ttps&#58;//evil.example/c or evil.example/d or WWW.EVIL.EXAMPLE.",
    "[1]: https://evil.example/e",
    "[^1]: https://evil.example/f [^1]",
    "See [[a](https://evil.example/g)](https://evil.example/h) and ![x](https://evil.example/i).",
    "See ｈｔｔｐｓ：／／evil.example/j, doi:10.1000/182, user://BEN/orders/1, file:///etc/passwd.",
    "<https://evil.example/k> <img src=x onerror=alert(1)> <!-- {product:A} --> <script>alert(1)</script>",
    "Write to eve@evil.example or mailto:eve@evil.example or call 555-010-0199.",
    "\n\n## Sources\n\n[1] The maker: https://evil.example/l\n[2] {product:A}: https://evil.example/m",
    "\n\n| **Total** | **$1.00** |\n\n> Total: $1.00",
    "```\n{product:A}: $1.00\n```",
    "{product:A} [12] (see 【3†source】) is 99,999 ratings strong, 5/5.",
    "{product:A} is Acme’s UltraFeed Pro Max Ninety by Globex Industries.",
    "Globex's {product:A} beats Initech Home's {product:B}.",
    "The total is one hundred and five dollars, a saving of a third, €20 or £9 or 30¢.",
    "COPIED is the total; COPIED is what {product:B} costs; COPIED leaves COPIED.",
    "{product:A} holds FIGURE pounds, FIGURE feet and FIGURE ratings.",
    "Item: Garden Deluxe Nine Set - $4.00",
    "&lt;a href=&quot;https://evil.example/n&quot;&gt;x&lt;/a&gt; &#36;4.99 &dollar;5",
    "\u202e99.91$ stsoc ti\u202c {product:A} \x00\x07",
    "It costs fifteen euros, a grand, 3 lakh, twelve hundred, nineteen ninety-nine.",
    "{PRODUCT:A} { price : A } {Price:a}",
    "{product:A" + "} and {product:A" * 3 + "}",
)
_IDS = (
    "{id}", " {id} ", "{lower}", MADE_UP, "[{id}](https://evil.example/p)", "{id} | $1.00 | 5/5 |", "**{id}**",
    "https://evil.example/{id}", "{id}\n| x | $1.00 |", "../{id}", "", "product {id}", "{id}{id}",
)  # fmt: skip
_TITLES = (
    "What to know", "Save $%d.00 now", "Rated 4.%d/5 by thousands", "[Deals](https://evil.example/t)", "### Nested | a | b |",
    "{product:A} for {price:A}", "Total: nineteen dollars", "Sources", "<h1>Buy</h1>\n\n[1]: https://evil.example/u", "",
)  # fmt: skip
_NOTES = (
    "cheaper, and plainer", "only $%d.00 | 5/5 | [x](https://evil.example/n)", "rated 5 stars by 9,%d99 people", "holds %d pounds",
    "{price:B}", "half of the price, nineteen dollars", "Acme UltraFeed Pro Max", "<b>new</b> | | | 5/5 |", "see evil.example/%d", "",
)  # fmt: skip
QUANTITIES = (1, 1, 1, 2, 3, 0, -1, 1_000_000_000, 40)


def form(text: str, chance: Random, *, hostile: bool) -> Form:
    """A form on the passages that stand in `text`."""
    products = list(dict.fromkeys(_PRODUCT.findall(text))) or [MADE_UP]
    numbers = [int(number) for number in _NUMBER.findall(text)] or [1]
    prices = _PRICE.findall(text) or ["$1.00"]
    words = (*CARELESS, *HOSTILE) if hostile else CARELESS

    def written(template: str) -> str:
        a, b = chance.choice(products), chance.choice(products)
        for name, one in (("A", a), ("B", b), ("X", MADE_UP), ("Z", b)):
            template = re.sub(rf"(?<=[:,]){name}(?=[}},*])", one, template)
        template = template.replace("COPIED", chance.choice(prices))
        template = template.replace("FIGURE", prices[-1].strip("$"))
        return re.sub(r"%d", lambda match: str(chance.randrange(1, 60)), template)

    def sentence() -> Form:
        cited = [chance.choice([*numbers, *numbers, 999, 0, -3]) for _ in range(chance.randrange(0, 4))]
        return {"text": written(chance.choice(words)), "passages": cited}

    def product_id() -> str:
        one = chance.choice(products)
        shape = chance.choice(_IDS if hostile else _IDS[:5])
        return shape.replace("{id}", one).replace("{lower}", one.lower())

    def section() -> Form:
        rows = [
            {"product_id": product_id(), "note": written(chance.choice(_NOTES))}
            for _ in range(chance.randrange(0, 5))
        ]
        said = [sentence() for _ in range(chance.randrange(0, 6))]
        return {"title": written(chance.choice(_TITLES)), "sentences": said, "products": rows}

    plan = [
        {"product_id": product_id(), "quantity": chance.choice(QUANTITIES)}
        for _ in range(chance.randrange(0, 6))
    ]
    answer = [sentence() for _ in range(chance.randrange(1, 6))]
    return {"answer": answer, "sections": [section() for _ in range(chance.randrange(1, 6))], "plan": plan}

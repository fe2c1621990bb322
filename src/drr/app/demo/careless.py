# mypy: ignore-errors
"""An agent that does its research, then writes four things that are not so: `--variant examples/agents/careless.py:careless`.

It shows what the checks catch. No language model takes part: it looks up the shopper's orders and searches the shop, and writes down a
wrong price, a wrong date of an order, a product that the shop does not sell, and a total that is not the sum of its rows. The rest is true.
"""

from datetime import date, timedelta

SHOWN = 3
OFF = 4.0
"""Dollars by which the first price is too low."""
NOT_SOLD = ("Kestrel Everlast Original", "B0NOTSOLD1")


async def careless(query, tools, model, budget):
    known = {tool.name: tool for tool in tools}

    async def call(name, **args):
        return (
            await known[name].ainvoke({"type": "tool_call", "id": "1", "name": name, "args": args})
        ).artifact

    orders = await call("get_user_orders")
    found = await call("product_catalog_search", query=query[:300], match="any", limit=10)
    shown = [item for item in found.data["items"] if item["price"]][:SHOWN]
    order = orders.data["items"][0]
    day = date.fromisoformat(order["order_date"][:10]) - timedelta(days=400)
    prices = [item["price"] - (OFF if item is shown[0] else 0) for item in shown]
    rows = [
        f"| [{item['title']}]({item['url']}) | ${price:.2f} |"
        for item, price in zip(shown, prices, strict=True)
    ]
    name, product = NOT_SOLD
    return "\n".join(
        [
            "# What I would buy",
            "",
            f"- [{order['title']}]({order['url']})",
            f"  - Order date: {day.isoformat()}",
            "",
            "| product | price |",
            "| --- | --- |",
            *rows,
            f"| **Total** | **${sum(prices) + 11:.2f}** |",
            "",
            f"- [{name}]({shown[0]['url'].rpartition('/')[0]}/{product}): $19.99, better than all of these.",
            "",
        ]
    )


careless.version = "2"
careless.tools = ("get_user_orders", "product_catalog_search")

"""Writes the tools' documentation as one HTML page: the arguments of each, and a real call with its answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from drr.env.json_object import JsonObject
from drr.env.text import tokens
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.registry import TOOLS, call_sync
from drr.tools.spec import Tool

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>The nine tools</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff; }
h2 { margin-top: 3rem; border-top: 1px solid #999; padding-top: 1rem; }
code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { background: #f3f3f3; padding: .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ccc; }
h2 code { font-size: 1.25rem; }
.mark { font-size: .8rem; font-weight: normal; vertical-align: .15rem; border: 1px solid #555; border-radius: .3em; padding: 0 .4em; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #151515; } pre { background: #242424; } a { color: #8cf; } }
</style>
</head>
<body>
<main>
<h1>The nine tools</h1>
<p>Every agent of the benchmark sees these functions with these schemas. The calls below were made on the shop
<code>{{ shop }}</code> (its today: {{ today }}), in the session of <code>{{ user or "no user" }}</code>.</p>
<nav aria-label="Tools"><ul>{% for entry in entries %}<li><a href="#{{ entry.tool.name }}"><code>{{ entry.tool.name }}</code></a> {{ entry.tool.summary() }}</li>{% endfor %}</ul></nav>
{% for entry in entries %}
<section aria-labelledby="{{ entry.tool.name }}">
<h2 id="{{ entry.tool.name }}"><code>{{ entry.tool.name }}</code> <span class="mark">{{ "writes" if entry.tool.writes else "reads" }}</span></h2>
<p>{{ entry.tool.description }}</p>
{% if entry.parameters %}<table><thead><tr><th scope="col">Parameter</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
{% for row in entry.parameters %}<tr><td><code>{{ row.name }}</code>{% if row.required %} (required){% endif %}</td><td>{{ row.kind }}{% if row.default is not none %}; {{ row.default }} if left out{% endif %}</td><td>{{ row.meaning }}</td></tr>{% endfor %}
</tbody></table>{% endif %}
<details><summary>JSON Schema</summary><pre>{{ entry.schema }}</pre></details>
{% for example in entry.examples %}
<h3>{{ "A call" if example.ok else "A call that fails" }}</h3>
<pre>{{ entry.tool.name }}({{ example.arguments }})</pre>
<pre>{{ example.text }}</pre>
{% if example.sources %}<p>Sources: {% for url in example.sources %}<code>{{ url }}</code>{{ ", " if not loop.last }}{% endfor %}</p>{% endif %}
{% endfor %}
</section>
{% endfor %}
</main>
</body>
</html>
"""


class Example(NamedTuple):
    arguments: str
    text: str
    sources: list[str]
    ok: bool


def write_docs(ctx: ToolContext, folder: Path) -> Path:
    """Write the page, with calls made in this session, and return its path."""
    from jinja2 import Environment, select_autoescape

    shop = ctx.session.shop
    page = Environment(autoescape=select_autoescape(default_for_string=True), trim_blocks=True).from_string(
        _PAGE
    )
    html = page.render(
        shop=shop.spec if shop.spec.startswith("servers:") else Path(shop.spec).name,
        today=ctx.today.isoformat(),
        user=ctx.session.user_id,
        entries=[_entry(tool, ctx) for tool in TOOLS.values()],
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tools.html"
    path.write_text(html, encoding="utf-8")
    return path


def _entry(tool: Tool, ctx: ToolContext) -> JsonObject:
    required = set(tool.schema["required"])
    return {
        "tool": tool,
        "parameters": [
            {
                "name": name,
                "kind": tool.kind_of(name),
                "meaning": part["description"],
                "default": part.get("default"),
                "required": name in required,
            }
            for name, part in tool.schema["properties"].items()
        ],
        "schema": json.dumps(tool.schema, indent=2),
        "examples": [_try(tool.name, arguments, ctx) for arguments in _examples(tool.name, ctx)],
    }


def _try(name: str, arguments: JsonObject, ctx: ToolContext) -> Example:
    try:
        answer, ok = call_sync(name, arguments, ctx), True
    except ToolError as error:
        answer, ok = ToolAnswer(error.text), False
    return Example(json.dumps(arguments), answer.text, [source.url for source in answer.sources][:5], ok)


def _examples(name: str, ctx: ToolContext) -> list[JsonObject]:
    """Return example arguments that are valid in this shop: its first product, the user's last order."""
    store = ctx.session.shop.store
    product = next(iter(store.iter_products()), None)
    user = ctx.session.user_id
    orders = store.orders(user, limit=1).items if user else []
    words = " ".join(tokens(product.title)[:3]) if product else "bird feeder"
    mistyped = product.product_id.replace("0", "O") if product else "BO"
    examples: dict[str, list[JsonObject]] = {
        "product_catalog_search": [
            {"query": words, "limit": 3},
            {"query": words, "min_price": 50, "max_price": 10},
        ],
        "get_product_details": [
            {"product_id": product.product_id if product else "B0"},
            {"product_id": mistyped},
        ],
        "get_user_orders": [{"limit": 3}, {"status": "Lost"}],
        "get_order_details": [{"order_id": orders[0].order_id if orders else "0"}, {"order_id": "0"}],
        "get_user_profile": [{}, {"user_id": "SOMEBODY_ELSE"}],
        "update_user_profile": [{"city": "Norman", "state": "Oklahoma"}, {"zip": "123"}],
        "get_user_statistics": [{}],
        "web_search": [{"query": "which birds stay in winter"}],
        "calculator": [{"expression": "(43.99 + 2*12.50) * 1.08"}, {"expression": "9**9**9"}],
    }
    return examples.get(name, [])

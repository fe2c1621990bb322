"""The baseline `lines`: each line or sentence of a question is a search, and its first hit a pick. It asks no model.

drr run study --queries q.jsonl --shop shop --variants examples/baselines/lines.py:lines
"""

import json
import re


async def lines(query, tools, model, budget):
    """Answer with the first hit of each part of the question."""
    search = next(tool for tool in tools if tool.name == "product_catalog_search")
    picks = {}
    points = re.findall(r"^\d+\. (.*)$", str(query), re.M) or re.split(r"\n|(?<=[.!?]) ", str(query))
    wishes = [text for text in points if len(text.split()) > 3 and "?" not in text]
    for text in wishes or [str(query)]:
        words = {"query": text[:300], "match": "any", "limit": 1}
        call = {"type": "tool_call", "id": "1", "name": search.name, "args": words}
        data = (await search.ainvoke(call)).artifact.data
        picks |= {one["product_id"]: one["url"] for one in data["items"]} if data else {}
    chosen = dict(list(picks.items())[:3])
    listed = "\n".join(f"- [it]({url})" for url in chosen.values())
    form = json.dumps({"picks": list(chosen), "figures": [], "refusals": []})
    return f"## Picks\n{listed}\n\n```form\n{form}\n```\n"


lines.version = "1"
lines.tools = ("product_catalog_search",)

"""Counts the agents' tool calls (the paper's Figure 4), and apart from them page reads, control calls and unknown tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from drr.app.report.contrasts import ByQuery
from drr.app.report.material import ReportData
from drr.app.report.tables import Cell, Table, headings
from drr.env.person_setting import agent_of
from drr.env.shop_world import TOOLS
from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import COUNTED, mean
from drr.eval.stats.question import AskedQuestion

BESIDE = ("page reads", "control calls", "unknown tools")
NOTE = (
    "Calls of tools per answer, mean over queries. The total leaves out page reads, control calls and unknown "
    "tools. A page read is a web page that a variant with page summaries (+ws) read or tried to read. With a control call "
    "an agent writes down a thought, starts a researcher or ends its work. Unknown tools are tool names that the agent "
    "made up. Refused calls never ran and are not counted."
)


def tool_calls(variants: Mapping[str, list[Answer]]) -> dict[str, Mapping[str, ByQuery]]:
    """Return the calls per answer by variant and tool; control calls and page reads have names of their own."""
    known = [[a for a in answers if a.calls is not None] for answers in variants.values()]
    tools = _offered([answer for answers in known for answer in answers])
    return {
        variant: _by_tool(answers, (*tools, *BESIDE), tools)
        for variant, answers in zip(variants, known, strict=True)
    }


def _offered(answers: list[Answer]) -> list[str]:
    """Return the names of the tools to count: the shop's, if there is a shop, and others that were called."""
    fields = [answer.record.key_fields for answer in answers]
    shop = not fields or any("world" not in one or "shop" in one for one in fields)
    called = {
        call.get("name")
        for answer in answers
        for call in answer.calls or ()
        if call.get("kind", "api") == "api"
    }
    own = {name for one in fields for name in one.get("own_tools") or ()}
    found = [name for name in TOOLS if shop or name in called]
    if further := (called | own).difference(TOOLS):
        from drr.tools.registry import EVERY

        found += [name for name in EVERY if name in further & called]
        found += sorted(own.difference(EVERY))
    return found


def _by_tool(answers: list[Answer], names: Collection[str], tools: Collection[str]) -> Mapping[str, ByQuery]:
    table: dict[str, dict[AskedQuestion, list[float | None]]] = {name: {} for name in names}
    for answer in answers:
        counts = _counts(answer, tools)
        for name in names:
            table[name].setdefault(answer.asked, []).append(float(counts[name]))
    return table


def _counts(answer: Answer, tools: Collection[str]) -> Counter[str]:
    counts = Counter({"page reads": page_reads(answer)})
    for call in answer.calls or ():
        kind = call.get("kind", "api")
        if kind != "refused":
            known = kind == "api" and call.get("name") in tools
            counts[
                "control calls" if kind == "control" else str(call["name"]) if known else "unknown tools"
            ] += 1
    return counts


def page_reads(answer: Answer) -> int:
    """Return the number of web pages that the agent read or tried to read. Pages saved after the answer do not count."""
    if not (agent_of(answer.variant).endswith("+ws") or "summariser" in answer.usage):
        return 0
    rows = answer.record.result.get("sources") or ()
    return len({row["url"] for row in rows if row["type"] == "web" and row["page_status"] is not None})


def calls_table(material: ReportData) -> Table | None:
    counts = tool_calls(material.variants)
    if not any(values for by_tool in counts.values() for values in by_tool.values()):
        return None
    names = list(next(iter(counts.values())))
    rows = [
        (variant, [Cell.of(mean(by_tool[name], ends=COUNTED).document(), 1) for name in names])
        for variant, by_tool in counts.items()
    ]
    title = "Tool calls per answer"
    return Table("tool-calls", title, headings(*names), rows, [NOTE], material.banner)

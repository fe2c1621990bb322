"""Run by the Python of an environment that holds `mcp` 1.x: one client over stdio or HTTP, what it was told as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import asynccontextmanager
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined]


@asynccontextmanager
async def session(where: list[str]) -> Any:
    if where[0].startswith("http"):
        headers = {"Authorization": f"Bearer {where[1]}"}
        streams = streamablehttp_client(where[0], headers=headers)
    else:
        streams = stdio_client(StdioServerParameters(command=where[0], args=where[1:]))
    async with streams as opened, ClientSession(*opened[:2]) as client:
        await client.initialize()
        yield client


async def ask(where: list[str], calls: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    async with session(where) as client:
        tools = (await client.list_tools()).tools
        told = [await client.call_tool(name, arguments) for name, arguments in calls]  # checks data by schema
    return {
        "tools": [[tool.name, tool.inputSchema, tool.outputSchema] for tool in tools],
        "texts": [[result.content[0].text, not result.isError] for result in told],
        "structured": [result.structuredContent for result in told],
        "data": [(result.meta or {}).get("data") for result in told],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(ask(sys.argv[2:], json.loads(sys.argv[1])))))

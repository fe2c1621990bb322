"""The door of `docs/deployed.md`: an agent outside reaches the shop through a proxy that does what the page's lines say."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT
from tests.test_documents import fenced, files_of
from tests.tools.test_mcp import serving

PAGE = ROOT / "docs" / "deployed.md"
OUTSIDE = "https://shop.example"


@contextmanager
def proxy(port: int, lines: str, *, keeps_host: bool = False) -> Iterator[int]:
    """Pass requests on as nginx does by these lines: it names the server as `proxy_pass` does, and leaves out what is set to nothing."""
    assert re.search(r"proxy_pass http://127\.0\.0\.1:\d+;", lines)
    silent = {name.lower() for name in re.findall(r'proxy_set_header (\S+) "";', lines)}

    class Passing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            own = {name: value for name, value in self.headers.items() if name.lower() not in silent}
            inner = HTTPConnection("127.0.0.1", port, timeout=20)
            inner.request("POST", self.path, body, own if keeps_host else own | {"Host": f"127.0.0.1:{port}"})
            answer = inner.getresponse()
            said = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def request_of(line: str, token: str) -> tuple[str, dict[str, str], str]:
    """Return path, headers and body of a `curl` line."""
    words = shlex.split(line.replace("$(cat token)", token))
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    assert words[0] == "curl" and words[1].startswith(OUTSIDE)
    return words[1].removeprefix(OUTSIDE), headers, words[words.index("-d") + 1]


def asked(port: int, path: str, headers: Mapping[str, str], body: str) -> tuple[int, Any]:
    outside = HTTPConnection("127.0.0.1", port, timeout=20)
    outside.request(
        "POST", path, body, {"Host": "shop.example", "Origin": "https://agent.example", **headers}
    )
    answer = outside.getresponse()
    return answer.status, json.loads(answer.read())


@pytest.mark.slow
async def test_an_agent_outside_calls_the_shop_through_the_proxy_of_the_page(
    sample_home: Path, tmp_path: Path
) -> None:
    files = files_of(PAGE)
    questions = tmp_path / "questions.jsonl"
    questions.write_text(files["questions.jsonl"], encoding="utf-8")
    (line,) = fenced(PAGE, "sh")
    command = ["-m", "drr.app.cli", "tools", "mcp", "--shop", str(sample_home / "shop")]
    command += ["--queries", str(questions)]
    async with asyncio.timeout(60), serving(command, tmp_path / "said") as (port, token):
        path, headers, body = request_of(line, token)
        with proxy(port, files["shop.conf"]) as door:
            status, answer = await asyncio.to_thread(asked, door, path, headers, body)
            assert (status, answer["result"]["_meta"]["data"]["product_id"]) == (200, "B0Q7E0V2BA")
            own = {"name": "get_user_profile", "arguments": {}}
            more = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": own})
            _, answer = await asyncio.to_thread(asked, door, path, headers, more)
            user = json.loads(files["questions.jsonl"])["user_id"]
            assert answer["result"]["_meta"]["data"]["user_id"] == user
            bare = {name: value for name, value in headers.items() if name != "Authorization"}
            assert (await asyncio.to_thread(asked, door, path, bare, body))[0] == 401
        for lines, keeps_host, refused in (
            (files["shop.conf"], True, 421),
            (re.sub(r".*Origin.*\n", "", files["shop.conf"]), False, 403),
        ):
            with proxy(port, lines, keeps_host=keeps_host) as door:
                assert (await asyncio.to_thread(asked, door, path, headers, body))[0] == refused

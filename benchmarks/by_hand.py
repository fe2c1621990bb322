"""A model played by hand. A server on this machine lays each request aside and waits until a reader has written the reply.

    python -m benchmarks.by_hand serve DESK --groups groups.json     # prints the address for --base-url
    python -m benchmarks.by_hand next DESK/GROUP                     # waits for a request and prints it
    python -m benchmarks.by_hand reply DESK/GROUP NUMBER < reply.txt # hands the reply in, then as `next`

A reader sees the requests of a group and nothing else. `groups.json` names for each group a text (a question, its reports): a request goes to
the group whose text, or whose earlier replies, it has most in common with. `--kinds kinds.json` splits groups further, by the first
regular expression that the prompt matches: {"You plan all tool calls": "planner"}. A reply is text; a line `@call NAME {"argument": ...}` in it calls
a tool. Runs need `--model-timeout 3600 --model-idle-timeout 3600 --model-deadline 7200`. Tokens are counted here, four characters each.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
import time
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from tests.wire import Fail, PrefixCache, Reply, Request, Say, Wire

RUN = 5
"""Words in a row that a request and a group share when one is about the other."""
LOOK_S = 0.3
WAIT_S = 60
IDLE = "nobody waits: ask again with `next`, or stop if you were told how many requests to expect"


class Written(NamedTuple):
    """A reply as a reader wrote it."""

    text: str
    calls: list[tuple[str, Any]]


class Desk:
    """A folder with a folder for each group, in which requests (`N.json`) and replies (`N.reply`) lie."""

    def __init__(self, folder: Path, groups: dict[str, str], kinds: dict[str, str], spread: int = 1) -> None:
        self.folder, self._kinds, self._spread, self._spreads = folder, kinds, spread, count()
        ends = sorted({f".{kind}" for kind in kinds.values()}) or [""]
        self._groups = {name + end: _runs(text) for name, text in groups.items() for end in ends}
        self._lock = threading.Lock()
        for one in sorted(folder.glob("*/*.reply")):
            self._groups.setdefault(one.parent.name, set()).update(_runs(one.read_text(encoding="utf-8")))

    def ask(self, request: Request) -> Reply:
        """Lay the request aside, once for equal bodies; return its reply when it is there."""
        key = sha256(json.dumps(request.body, sort_keys=True).encode()).hexdigest()[:16]
        with self._lock:
            place = next(self.folder.glob(f"*/*-{key}.json"), None) or self._lay(request, key)
        reply = place.with_suffix(".reply")
        while not reply.exists():
            time.sleep(LOOK_S)
        text, calls = parsed(reply.read_text(encoding="utf-8"))
        with self._lock:
            self._groups.setdefault(place.parent.name, set()).update(_runs(text + json.dumps(calls)))
        return Say(text, calls) if text or calls else Fail(500, "api_error", "the reply is empty")

    def _lay(self, request: Request, key: str) -> Path:
        asked = _runs(json.dumps(request.body["messages"], ensure_ascii=False))
        text = "\n".join(
            [
                _plain(request.body.get("system") or ""),
                *(_plain(one["content"]) for one in request.body["messages"]),
            ]
        )
        kind = next((kind for form, kind in self._kinds.items() if re.search(form, text, re.DOTALL)), None)
        near = {
            name: len(runs & asked)
            for name, runs in self._groups.items()
            if name.endswith(f".{kind}" if kind else "")
        }
        name = max(near, key=lambda one: near[one], default="other")
        if not near.get(name):
            name = f"{kind or 'other'}-{next(self._spreads) % self._spread}"
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"{len(list(folder.glob('*.json'))) + 1:03}-{key}.json"
        _put(place, json.dumps(request.body, ensure_ascii=False, indent=1))
        return place


def readable(body: dict[str, Any], before: dict[int, dict[str, Any]]) -> str:
    """Return a request as a reader sees it. What an earlier request of the group has shown is named by that request's number."""
    parts = []
    for name in ("system", "tools", "output_config", "response_format", "tool_choice", "max_tokens"):
        if not body.get(name):
            continue
        same = next((n for n, one in before.items() if one.get(name) == body[name]), None)
        parts.append(
            f"## {name}\n"
            + (f"(as in request {same})" if same and name != "max_tokens" else _plain(body[name]))
        )
    messages = [{"role": one["role"], "content": _bare(one["content"])} for one in body["messages"]]
    known, number = 0, 0
    for n, one in before.items():
        theirs = [{"role": m["role"], "content": _bare(m["content"])} for m in one["messages"]]
        alike = next(
            (k for k, (a, b) in enumerate(zip(theirs, messages, strict=False)) if a != b),
            min(len(theirs), len(messages)),
        )
        if alike > known:
            known, number = alike, n
    if known:
        parts.append(f"## messages\n(the first {known} as in request {number})")
    parts += [f"## {one['role']}\n{_plain(one['content'])}" for one in messages[known:]]
    return "\n\n".join(parts) + "\n"


def _bare(content: Any) -> Any:
    """Return a message's content without marks of caching, which move from request to request."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{k: v for k, v in block.items() if k != "cache_control"} for block in content]


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_plain(one) for one in value)
    if isinstance(value, dict) and value.get("type") == "text":
        return str(value["text"])
    if isinstance(value, dict) and value.get("type") == "tool_result":
        return "[tool result]\n" + _plain(value.get("content"))
    if isinstance(value, dict) and value.get("type") == "tool_use":
        return f"@call {value['name']} {json.dumps(value['input'], ensure_ascii=False)}"
    return json.dumps(value, ensure_ascii=False)


def parsed(reply: str) -> Written:
    """Take a reply apart: its text, and its calls of tools."""
    lines, calls = [], []
    for line in reply.splitlines():
        if found := re.match(r"@call (\w+) (\{.*\})\s*$", line):
            calls.append((found[1], json.loads(found[2])))
        else:
            lines.append(line)
    return Written("\n".join(lines).strip(), calls)


def wrong(body: dict[str, Any], written: Written) -> str | None:
    """Say what a provider's own check would have kept the model from: an unknown tool, arguments or a form that do not fit."""
    tools = {
        tool.get("function", tool)["name"]: tool.get("function", tool) for tool in body.get("tools") or ()
    }
    for name, arguments in written.calls:
        if name not in tools:
            return f"there is no tool {name}: {', '.join(tools) or 'this request has none'}"
        if found := _unfit(tools[name].get("input_schema") or tools[name].get("parameters") or {}, arguments):
            return f"{name}: {found}"
    form = (body.get("output_config") or {}).get("format") or body.get("response_format") or {}
    schema = form.get("schema") or (form.get("json_schema") or {}).get("schema")
    if schema and not written.calls:
        try:
            return _unfit(schema, json.loads(written.text))
        except ValueError as error:
            return f"the text must be JSON of the form: {error}"
    return None if written.text or written.calls else "the reply is empty"


def _unfit(schema: dict[str, Any], value: object) -> str | None:
    return next(
        (f"{e.json_path}: {e.message[:300]}" for e in Draft202012Validator(schema).iter_errors(value)), None
    )


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.replace("\\n", " ").casefold())
    return set(zip(*(words[k:] for k in range(RUN)), strict=False))


def _put(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def following(place: Path, since: int | None = None) -> int:
    """Print the oldest request of a group that has no reply; wait for one if need be. Nothing is left out of a new reader's first request."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        every = sorted(place.glob("*.json"))
        if waiting := [one for one in every if not one.with_suffix(".reply").exists()]:
            number = int(waiting[0].name[:3])
            first = place / "first"
            if since is None or not first.exists():
                first.write_text(str(number), encoding="utf-8")
            shown = {int(one.name[:3]): _body(one) for one in every[int(first.read_text()) - 1 : number - 1]}
            print(f"# Request {number}\n\n{readable(_body(waiting[0]), shown)}")
            return 0
        if (place.parent / "END").exists():
            print("the study has ended: stop")
            return 0
        time.sleep(LOOK_S)
    print(IDLE)
    return 0


def _body(request: Path) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.read_text(encoding="utf-8"))
    return body


def hand_in(place: Path, number: int, reply: str) -> int:
    """Check a reply and lay it beside its request; print the next one."""
    request = next(place.glob(f"{number:03}-*.json"))
    try:
        found = wrong(_body(request), parsed(reply))
    except ValueError as error:
        found = f"a call's arguments are no JSON: {error}"
    if found:
        print(f"not handed in: {found}")
        return 1
    _put(request.with_suffix(".reply"), reply)
    return following(place, number)


def serve(desk: Desk, port: int) -> int:
    """Serve until Ctrl-C."""
    with Wire(desk.ask, cache=PrefixCache(), port=port) as wire:
        print(wire.url, flush=True)
        threading.Event().wait()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.by_hand")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("serve")
    one.add_argument("desk", type=Path)
    one.add_argument("--groups", type=Path)
    one.add_argument("--kinds", type=Path)
    one.add_argument(
        "--spread", type=int, default=1, help="groups among which requests of no group are dealt"
    )
    one.add_argument("--port", type=int, default=0)
    commands.add_parser("next").add_argument("place", type=Path)
    one = commands.add_parser("reply")
    one.add_argument("place", type=Path)
    one.add_argument("number", type=int)
    given = parser.parse_args()
    if given.command == "next":
        return following(given.place)
    if given.command == "reply":
        return hand_in(given.place, given.number, sys.stdin.read())
    given.desk.mkdir(parents=True, exist_ok=True)
    return serve(Desk(given.desk, _texts(given.groups), _texts(given.kinds), given.spread), given.port)


def _texts(file: Path | None) -> dict[str, str]:
    return TypeAdapter(dict[str, str]).validate_json("{}" if file is None else file.read_bytes())


if __name__ == "__main__":
    raise SystemExit(main())

"""A command answers: it is told the question, given the door's addresses, and what it prints is the report."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from pathlib import Path

from drr.agents.architecture import AGENT, Run
from drr.agents.base import Ending
from drr.agents.commands.command import Command, search_path
from drr.agents.commands.door import Door, open_door
from drr.agents.commands.process import CommandPlace, Ended, place_for
from drr.agents.commands.terms import CommandTerms
from drr.agents.running import AgentRun
from drr.env.errors import DrrError, ProgramFailure
from drr.llm.secrets import HIDDEN

_NONE, _UNKNOWN = "none", "unknown"
_LAST_WORDS = 160


def answering(command: Command, terms: CommandTerms, digest: str) -> Run:
    """Answer by a command. `digest` is its hash when the unit's key was made: the files that it names are
    looked at again before and after."""

    async def answer(run: AgentRun) -> Ending:
        _check(command, digest)
        run.outside.own = _UNKNOWN if terms.trusted else _NONE
        if terms.trusted:
            run.notes.append("the command ran trusted: not contained, with this user's files and network")
        async with place_for(command, terms) as place, open_door(run, place.listening) as door:
            try:
                ended = await _run(run, place, door, terms)
            finally:
                run.outside.stderr = place.said().replace(door.token, HIDDEN)
        _count(run, terms)
        _check(command, digest)
        return Ending(_report(ended, run.outside.stderr or ""), door.limit or "finalized")

    return answer


def _count(run: AgentRun, terms: CommandTerms) -> None:
    """A contained command that asked no model of ours asked none; what a trusted one asked is not known."""
    meter = run.allowance.meter
    if run.outside.plays(AGENT, meter):
        usage = meter.usage(AGENT, run.outside.own or "")
        if terms.trusted:
            usage.unmetered, usage.cost = 1, None


def _check(command: Command, digest: str) -> None:
    if command.identity() != digest:
        raise DrrError(
            f"variant {command.name!r}: a file that it names was edited while the study ran: run the study again"
        )


async def _run(run: AgentRun, place: CommandPlace, door: Door, terms: CommandTerms) -> Ended:
    """Run until the command ends, or something is wrong with the unit itself."""
    seconds = run.limits.seconds
    if seconds is not None:
        seconds = max(0.0, run.allowance.started + seconds - run.allowance.now())
    environment = environment_of(run, door, place, terms, seconds)
    running = asyncio.ensure_future(place.run(environment, _notes(run), seconds))
    broken = asyncio.ensure_future(door.broken())
    try:
        await asyncio.wait({running, broken}, return_when=asyncio.FIRST_COMPLETED)
        if broken.done():
            await broken
        return await running
    finally:
        for task in (running, broken):
            task.cancel()
        await asyncio.gather(running, broken, return_exceptions=True)


def _notes(run: AgentRun) -> str:
    """The question as JSON on standard input: what our own agents are told of it, and not a word more."""
    document = {
        "schema": 1,
        "id": run.outside.query_id if run.has_records else None,
        "text": run.query,
        "today": run.as_of,
        "user_id": run.user_id,
        "person": run.person or None,
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def environment_of(
    run: AgentRun, door: Door, place: CommandPlace, terms: CommandTerms, seconds: float | None
) -> dict[str, str]:
    """All that the command finds in its environment; nothing of ours is inherited."""
    environment = {
        "PATH": search_path(),
        "HOME": str(Path.home()) if terms.trusted else place.folder,
        "TMPDIR": place.folder if terms.trusted else "/tmp",  # noqa: S108 - its own
        "LANG": "C.UTF-8",
        "DRR_MCP_URL": f"{door.address}/mcp",
        "DRR_MCP_TOKEN": door.token,
        "DRR_MODEL": run.agent.name,
        "OPENAI_BASE_URL": f"{door.address}/v1",
        "OPENAI_API_KEY": door.token,
        "ANTHROPIC_BASE_URL": door.address,
        "ANTHROPIC_API_KEY": door.token,
        "NO_PROXY": "127.0.0.1,localhost",
    }
    if seconds is not None:
        environment["DRR_DEADLINE"] = str(int(time.time() + seconds))
    return environment


def _report(ended: Ended, said: str) -> str:
    if ended.code < 0:
        name = signal.Signals(-ended.code).name if -ended.code in set(signal.Signals) else str(-ended.code)
        raise ProgramFailure("agent_signal", f"the command was ended by {name}{_last(said)}")
    if ended.code != 0:
        raise ProgramFailure("agent_exit", f"the command ended with exit code {ended.code}{_last(said)}")
    if not ended.report.strip():
        raise ProgramFailure(
            "agent_no_report", f"the command printed no report on standard output{_last(said)}"
        )
    return ended.report


def _last(said: str) -> str:
    """The last line of standard error, which often says why."""
    lines = said.split("\n")
    line = next((one.strip() for one in reversed(lines) if one.strip()), "")
    return f": {line[:_LAST_WORDS]}" if line else ""

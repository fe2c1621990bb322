"""Runs the process of a command through the launcher, and ends all processes that it started."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from drr.agents.base import MOST_REPORT
from drr.agents.commands.command import Command, CommandTerms
from drr.agents.commands.namespaces import FOLDER
from drr.agents.commands.sight import visible_paths
from drr.env.errors import DrrError, ProgramFailure
from drr.env.json_object import JsonObject

if TYPE_CHECKING:
    from drr.agents.commands.namespaces import LaunchOrder

LAUNCHER = Path(__file__).with_name("launcher.py")
MOST_ERRORS = 64_000_000
"""Maximum number of bytes of standard error; one more ends the command."""
KEPT_ERRORS = 1_000_000
"""Maximum number of bytes of standard error, from its end, that are kept with the unit."""
MOST_PROCESSES = 1024
"""Maximum number of processes and threads of a command."""
_START_S, _END_S, _LAST_WORDS_S = 60.0, 15.0, 2.0
_NO_PROGRAM = os.strerror(errno.ENOEXEC)


class ProcessEnd(NamedTuple):
    code: int
    """The exit code; a negative one is the number of the signal that ended the command."""
    report: str


@dataclass
class CommandPlace:
    """The sandbox in which a command is about to run. `listening` is its only connection to the outside, and the server owns that socket."""

    folder: str
    listening: socket.socket
    _launcher: asyncio.subprocess.Process
    _control: _Control
    errors: deque[bytes] = field(default_factory=deque)
    _errors_size: int = 0
    _errors_read: int = 0

    async def run(self, environment: Mapping[str, str], input_text: str, seconds: float | None) -> ProcessEnd:
        """Start the command, write to it, and wait for its end. `ProgramFailure` is raised where it cannot start, takes too long, or prints too much."""
        self.start(environment)
        errors = asyncio.create_task(self.keep_errors())
        feeding = asyncio.create_task(self._feed(input_text.encode()))
        printing, waiting = asyncio.create_task(self._read_output()), asyncio.create_task(self.ending())
        both = asyncio.gather(printing, waiting)
        tasks = (both, printing, waiting, errors, feeding)
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait((both, errors), return_when=asyncio.FIRST_COMPLETED)
                if errors.done():
                    errors.result()  # raises an error where standard error was too long
                printed, ending = await both
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_WORDS_S):
                    await errors
        except TimeoutError:
            raise ProgramFailure(
                "agent_timeout", f"the command did not end within its {seconds:,.0f} s; it was ended"
            ) from None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._control.close()  # the launcher then kills the remaining processes, which hold the pipes
        if (why := ending.get("unstartable")) is not None:
            hint = (
                "; a script begins with a line such as `#!/usr/bin/env python3`" if why == _NO_PROGRAM else ""
            )
            raise ProgramFailure("agent_start", f"the command cannot be started ({why}{hint})")
        code = ending.get("code")
        if not isinstance(code, int):
            raise ProgramFailure("agent_lost", "the command's launcher ended before the command did")
        return ProcessEnd(code, printed)

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the command. Whoever talks with it uses `reading` and `writing`."""
        self._control.send({"environment": dict(environment)})

    @property
    def reading(self) -> asyncio.StreamReader:
        assert self._launcher.stdout is not None
        return self._launcher.stdout

    @property
    def writing(self) -> asyncio.StreamWriter:
        assert self._launcher.stdin is not None
        return self._launcher.stdin

    def clear_errors(self) -> None:
        """Forget what was written on standard error so far, as another unit begins."""
        self.errors.clear()
        self._errors_size = self._errors_read = 0

    def stderr_text(self) -> str:
        """Return the command's standard error. Of a long one the end is returned, with a note on its length."""
        text = b"".join(self.errors)[-KEPT_ERRORS:].decode(errors="replace")
        lost = self._errors_read - KEPT_ERRORS
        return text if lost <= 0 else f"[the first {lost:,} bytes are left out]\n{text}"

    async def _feed(self, data: bytes) -> None:
        writing = self.writing
        with suppress(ConnectionError):
            writing.write(data)
            await writing.drain()
        writing.close()

    async def _read_output(self) -> str:
        parts, size = [], 0
        while part := await self.reading.read(65536):
            size += len(part)
            if size > MOST_REPORT:
                raise _too_much("printed", MOST_REPORT)
            parts.append(part)
        return b"".join(parts).decode(errors="replace")

    async def keep_errors(self) -> None:
        reading = self._launcher.stderr
        assert reading is not None
        while part := await reading.read(65536):
            self._errors_read += len(part)
            if self._errors_read > MOST_ERRORS:
                raise _too_much("wrote on standard error", MOST_ERRORS)
            self.errors.append(part)
            self._errors_size += len(part)
            while self._errors_size - len(self.errors[0]) >= KEPT_ERRORS:
                self._errors_size -= len(self.errors.popleft())

    async def ending(self) -> JsonObject:
        document, _ = await self._control.receive()
        self._control.close()
        return document


@asynccontextmanager
async def sandbox_for(command: Command, terms: CommandTerms) -> AsyncIterator[CommandPlace]:
    """Make the sandbox for one run. It is removed with everything in it when the context ends."""
    with _scratch(terms) as scratch:
        ours, theirs = socket.socketpair()
        control = _Control(ours)
        try:
            with theirs:
                launcher = await _start_launcher(theirs, scratch)
            try:
                listening = await _make_sandbox(control, _order(command, terms, scratch))
                with listening:
                    yield CommandPlace(FOLDER if not terms.trusted else scratch, listening, launcher, control)
            finally:
                control.close()
                await _wait_for_end(launcher)
        finally:
            control.close()


@contextmanager
def _scratch(terms: CommandTerms) -> Iterator[str]:
    """Make a folder for a trusted command. The launcher removes it where this process has died. A sandboxed command has
    its folder in memory."""
    if not terms.trusted:
        yield "/"
        return
    with tempfile.TemporaryDirectory(prefix="drr-agent-", ignore_cleanup_errors=True) as folder:
        yield folder


def _order(command: Command, terms: CommandTerms, scratch: str) -> LaunchOrder:
    visible, hidden = ([], []) if terms.trusted else visible_paths(command, terms)
    return {
        "contained": not terms.trusted,
        "program": command.program(),
        "words": list(command.words),
        "folder": scratch if terms.trusted else FOLDER,
        "processes": MOST_PROCESSES,
        "visible": visible,
        "hidden": hidden,
    }


async def _start_launcher(theirs: socket.socket, scratch: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-S", "-B", str(LAUNCHER), str(theirs.fileno()),
        stdin=pipe, stdout=pipe, stderr=pipe, pass_fds=[theirs.fileno()], env={}, cwd=scratch, start_new_session=True,
    )  # fmt: skip


async def _make_sandbox(control: _Control, order: LaunchOrder) -> socket.socket:
    """Send the order to the launcher and return the listening socket of the sandbox that it made."""
    control.send({**order})
    try:
        async with asyncio.timeout(_START_S):
            document, listening = await control.receive()
    except TimeoutError:
        raise ProgramFailure("agent_start", f"no place for the command within {_START_S:.0f} s") from None
    if not document.get("ready"):
        why = document.get("refused", "its launcher ended")
        raise ProgramFailure("agent_start", f"no place for the command: {why}")
    return listening or socket.create_server(("127.0.0.1", 0), backlog=128)


async def _wait_for_end(launcher: asyncio.subprocess.Process) -> None:
    """Wait until the launcher ends. One that does not react is killed, which ends all processes in its namespaces.

    Pipes that are not read to their end are closed first, because asyncio waits for these too.
    """
    transport = getattr(launcher, "_transport", None)
    for number in (0, 1, 2):
        pipe = None if transport is None else transport.get_pipe_transport(number)
        if pipe is not None:
            pipe.close()
    try:
        async with asyncio.timeout(_END_S):
            await launcher.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(launcher.pid, 9)
        await launcher.wait()
    finally:
        if transport is not None:
            transport.close()


def _too_much(did: str, most: int) -> ProgramFailure:
    return ProgramFailure("agent_output", f"the command {did} more than {most:,} bytes; it was ended")


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class _Control:
    """The socket to the launcher: lines of JSON in both directions. A received line may come with a socket."""

    def __init__(self, ours: socket.socket) -> None:
        self._ours = ours
        ours.setblocking(True)

    def send(self, document: JsonObject) -> None:
        """Send a line. It blocks, but an order is far smaller than the socket's buffer."""
        try:
            self._ours.sendall(json.dumps(document).encode() + b"\n")
        except OSError as error:
            raise ProgramFailure("agent_lost", f"the command's launcher is gone ({error.strerror})") from None

    async def receive(self) -> tuple[JsonObject, socket.socket | None]:
        """Return the next line and its socket; an empty document where the launcher is gone."""
        received, given = b"", None
        while not received.endswith(b"\n"):
            await self._wait_until_readable()
            try:
                more, descriptors, _, _ = socket.recv_fds(self._ours, 65536, 1)
            except OSError:
                break
            for descriptor in descriptors:
                given = socket.socket(fileno=descriptor)
            if not more:
                break
            received += more
        try:
            document = json.loads(received or b"{}")
        except ValueError:
            raise DrrError("a command's launcher wrote what nobody can read") from None
        return document, given

    async def _wait_until_readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        number = self._ours.fileno()
        loop.add_reader(number, lambda: _wake(ready))
        try:
            await ready
        finally:
            loop.remove_reader(number)

    def close(self) -> None:
        self._ours.close()

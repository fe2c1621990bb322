"""The doors of the kernel as SECURITY.md lists them, each tried from within by a contained command."""

from __future__ import annotations

import ctypes
import json
import platform
import re
import sys
from pathlib import Path

import pytest
from drr.agents.commands import namespaces
from drr.agents.commands.command import Command, CommandTerms, search_path
from drr.agents.commands.process import sandbox_for
from drr.agents.commands.sight import why_not_contained

from tests.commands import python

needs_containment = pytest.mark.skipif(
    why_not_contained() is not None or platform.machine() != "x86_64",
    reason="numbers of x86_64, in namespaces",
)
TRIES = '''#!/usr/bin/env python3
import ctypes, errno, json, os, socket, subprocess, sys, tempfile
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *words):
    """Its errno: that of a call which was not let through, or of the nonsense that it was given."""
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(number, *words) < 0 else 0

def opens(*words):
    try:
        socket.socket(*words).close()
    except OSError as error:
        return error.errno != errno.EAFNOSUPPORT
    return True

def unix():
    here = tempfile.mktemp()
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        one.bind(here)
        one.listen()
        other.connect(here)
    return True

def inet(family, host):
    with socket.socket(family) as one, socket.socket(family) as other:
        one.bind((host, 0))
        one.listen()
        other.connect(one.getsockname())
    return True

def let(number, *words):
    return call(number, *words) != errno.EPERM

def written(path):
    try:
        with open(path, "a"):
            return True
    except OSError:
        return False

def changed(path):
    """To what it is: `chmod` is let through all the same, or not."""
    try:
        os.chmod(path, os.stat(path).st_mode & 0o7777)
        return True
    except OSError:
        return False

devices = ("null", "zero", "full", "random", "urandom")
numbers = {"netlink": 16, "packet": 17, "vsock": 40, "alg": 38, "bluetooth": 31, "can": 29, "xdp": 44}
tries = {
    "sockets of the Internet, to itself": lambda: inet(socket.AF_INET, "127.0.0.1") and inet(socket.AF_INET6, "::1"),
    "Unix sockets, in its own folders": unix,
    "sockets of any other family": lambda: any(opens(number, kind) for number in numbers.values() for kind in (1, 2, 3)),
    "pairs of sockets": lambda: [one.close() for one in socket.socketpair()] != [],
    "key rings (`keyctl`, `add_key`, `request_key`)": lambda: let(250, 0, -3, 0) or let(248, b"user", b"x", b"x", 1, -3) or let(249, b"user", b"SECRET", None, -3),
    "`io_uring`": lambda: let(425, 1, None) or let(426, -1, 0, 0, 0, None, 0) or let(427, -1, 0, None, 0),
    "`userfaultfd`": lambda: let(323, 1) or os.path.exists("/dev/userfaultfd"),
    "`bpf`": lambda: let(321, 0, None, 0),
    "`perf_event_open`": lambda: let(298, None, 0, -1, -1, 0),
    "system calls by their second numbers (x32)": lambda: let(0x40000000 + 39),
    "namespaces of its own": lambda: subprocess.run(["unshare", "-Ur", "true"], capture_output=True).returncode == 0,
    "mounts": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0,
    "programs with rights of their owner": lambda: "NoNewPrivs:\\t1" not in open("/proc/self/status").read(),
    "names of keys": lambda: "SECRET" in open("/proc/keys").read(),
    "processes beside its own": lambda: len([name for name in os.listdir("/proc") if name.isdigit()]) > 4,
    "switches of the kernel": lambda: written("/proc/sys/kernel/core_pattern") or written("/proc/sysrq-trigger"),
    "devices beside `null`, `zero`, `full`, `random`, `urandom`": lambda: [n for n in os.listdir("/dev") if n not in (*devices, "shm", "fd", "stdin", "stdout", "stderr")] != [],
    "files that others can see": lambda: any(map(written, ("/usr/x", "/x", "/etc/x", "/proc/x"))) or any(changed(f"/dev/{name}") for name in devices) or changed(sys.stdin.read()),
    "memory files and its own shared memory": lambda: os.memfd_create("x") > 0 and written("/dev/shm/x"),
    "threads, processes and signals among its own": lambda: subprocess.run(["true"]).returncode == 0,
}
found = {}
for name, tried in tries.items():
    try:
        found[name] = bool(tried())
    except OSError:
        found[name] = False
print(json.dumps(found))
'''


def said() -> dict[str, bool]:
    text = Path(__file__).parents[2].joinpath("SECURITY.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| (open|closed) \|$", text, re.M)
    return {name: state == "open" for name, state in rows}


@needs_containment
async def test_every_door_is_as_security_md_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent").write_text(TRIES)
    Path("agent").chmod(0o755)
    libc = ctypes.CDLL(None)
    libc.syscall(250, 1, None)
    libc.syscall(248, b"user", b"SECRET", b"mine", 4, -3)
    keys = tmp_path / "shown" / ".env"
    keys.parent.mkdir()
    keys.write_text("SECRET")
    async with sandbox_for(Command.of("cmd:./agent"), CommandTerms(shown=(keys.parent,))) as place:
        ended = await place.run({"PATH": search_path()}, str(keys), 30)
    assert json.loads(ended.report) == said()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters system calls")
def test_where_calls_cannot_be_filtered_it_is_said() -> None:
    """A machine whose numbers are not known."""
    code = (
        "import platform, runpy\nplatform.machine = lambda: 'm68k'\n"
        "runpy.run_path(__import__('sys').argv[1])['close_doors']()"
    )
    done = python(code, namespaces.__file__)
    assert done.returncode == 1 and "OSError: [Errno 0] system calls cannot be filtered on" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters system calls")
def test_a_filter_that_is_taken_and_not_held_to_is_noticed() -> None:
    code = (
        "import ctypes, runpy, sys\nreal = ctypes.CDLL(None, use_errno=True)\n"
        "class Liar:\n    syscall, prctl = real.syscall, lambda *_: 0\n"
        "ctypes.CDLL = lambda *_, **__: Liar\nrunpy.run_path(sys.argv[1])['close_doors']()"
    )
    done = python(code, namespaces.__file__)
    assert done.returncode == 1 and "does not hold to it" in done.stderr

"""The test servers: a real Elasticsearch node and a server that speaks MongoDB's protocol, both run by a JDK.

For machines without a container engine, and for the tests. Packages come through Maven, once; the few lines of Java that
start them lie beside this file; what they keep lies in the user's cache folder. No security, loopback only: never for data
that matters.

    python -m tests.servers.testservers start|stop|status
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from drr.env.errors import DrrError
from drr.env.trust import cache_folder

LEAST_JDK = 21
PORTS = {"mongodb": 27017, "elasticsearch": 9200}
KINDS = tuple(PORTS)
SOURCES = Path(__file__).resolve().parent
WORK = cache_folder() / "servers"
BUILD = WORK / "build"
_START_SECONDS = 90.0
_BUILD_SECONDS = 600.0


@dataclass
class Server:
    kind: str
    url: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        stop_process(self.process.pid, self.process)
        if self.process.stdin is not None:
            self.process.stdin.close()

    def leave_running(self) -> None:
        """Let it outlive this process; any other it does not, even one that is killed."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"k")
        self.process.stdin.close()


@dataclass
class Found:
    """A server that was left running. Without a URL it does not answer."""

    pid: int
    url: str | None
    data: str


def find_jdk() -> Path | None:
    """The newest JDK that is new enough: JAVA_HOME, the usual folders, the path."""
    found = [(version, home) for home in _jdk_homes() if (version := _jdk_version(home)) >= LEAST_JDK]
    return max(found)[1] if found else None


def missing() -> str | None:
    """Say in a sentence what is missing to run the test servers here; `None` if nothing is."""
    if find_jdk() is None:
        return (
            f"no JDK >= {LEAST_JDK} found (JAVA_HOME, /usr/lib/jvm, the path); install one and set JAVA_HOME"
        )
    if shutil.which("mvn") is None:
        return "Maven (mvn) is not on the path; install it"
    return None


def _jdk_homes() -> Iterator[Path]:
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    home = Path.home()
    usual = map(Path, ("/usr/lib/jvm", "/usr/java", "/opt", "/Library/Java/JavaVirtualMachines"))
    for folder in (*usual, home / ".sdkman/candidates/java", home / ".jdks"):
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                yield path
                yield path / "Contents" / "Home"
    compiler = shutil.which("javac")
    if compiler:
        yield Path(compiler).resolve().parents[1]


def _jdk_version(home: Path) -> int:
    """Read the version from the `release` file that every JDK has; 0 where there is no compiler."""
    try:
        release = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', release, re.MULTILINE)
    return int(found[1]) if found and (home / "bin" / "javac").is_file() else 0


def build(kind: str) -> Path:
    """The folder with `classpath` and `classes` of a server, made once for each state of its sources."""
    reason = missing()
    jdk = find_jdk()
    if reason is not None or jdk is None:
        raise DrrError(f"test servers: {reason}")
    folder = SOURCES / kind
    sources = [*folder.glob("src/**/*.java"), *(SOURCES / "shared").glob("src/**/*.java")]
    files = [folder / "pom.xml", *sorted(sources)]
    digest = sha256(b"\0".join(path.read_bytes() for path in files) + str(jdk).encode()).hexdigest()[:12]
    target = BUILD / f"{kind}-{digest}"
    if (target / "done").exists():
        return target
    BUILD.mkdir(parents=True, exist_ok=True)
    # Aside, because another checkout or test run may be making the same.
    making = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=BUILD))
    try:
        _make(making, folder, [str(path) for path in files[1:]], jdk)
        with suppress(OSError):  # the other one was quicker
            making.rename(target)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return target


def _make(target: Path, folder: Path, sources: list[str], jdk: Path) -> None:
    classpath = target / "classpath"
    maven = "dependency:build-classpath", f"-Dmdep.outputFile={classpath}"
    _command("mvn", "-q", "-B", "-f", str(folder / "pom.xml"), *maven)
    places = "-d", str(target / "classes"), "-cp", classpath.read_text()
    _command(str(jdk / "bin" / "javac"), "-nowarn", "-proc:none", "-Xlint:none", *places, *sources)
    (target / "done").touch()


def _command(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_BUILD_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise DrrError(
            f"test servers: {Path(command[0]).name} took too long; is the network slow?"
        ) from error
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
        raise DrrError(f"test servers: {Path(command[0]).name} failed: {' '.join(lines[-3:])[:500]}")


def start(kind: str, home: Path, *, port: int = 0, in_memory: bool = False, heap_mb: int = 512) -> Server:
    """Started and answering; its data and its log lie in `home`, which is kept."""
    target = build(kind)
    jdk = find_jdk()
    home.mkdir(parents=True, exist_ok=True)
    log = home / "log"
    arguments = [str(port), str(home)]
    if kind == "mongodb":
        arguments = [str(port)] if in_memory else [str(port), str(home / "data.mv")]
    command = [
        str(jdk and jdk / "bin" / "java"),
        f"-Xms{heap_mb}m" if kind == "elasticsearch" else "-Xms64m",
        f"-Xmx{heap_mb}m",
        *("-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-Dlog4j2.level=warn", "-Dlog4j2.disable.jmx=true"),
        *("-Dio.netty.noUnsafe=true", "-Dorg.elasticsearch.nativeaccess.enableVectorLibrary=false"),
        *("--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED", _mark(home)),
        *("-cp", f"{target / 'classes'}{os.pathsep}{(target / 'classpath').read_text()}", "drr.Launcher"),
        *arguments,
    ]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=sink, stderr=subprocess.STDOUT, start_new_session=True
        )
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        text = log.read_text(encoding="utf-8", errors="replace")
        url = _ready(text)
        if url is not None:
            return Server(kind, url, process)
        if process.poll() is not None:
            raise DrrError(f"test servers: {kind} did not start: {' '.join(text.split()[-60:])} (log: {log})")
        time.sleep(0.05)
    stop_process(process.pid, process)
    raise DrrError(f"test servers: {kind} did not answer within {_START_SECONDS:.0f} s (log: {log})")


def _ready(log: str) -> str | None:
    found = re.search(r"^READY (\S+)$", log, re.MULTILINE)
    return found[1] if found else None


def _mark(home: Path) -> str:
    """Mark a server, to know it again among all processes, whatever became of the one that started it."""
    return f"-Ddrr.home={home.resolve()}"


def home_of(kind: str) -> Path:
    """Return the place of data and log of this user's server that was left running."""
    return WORK / "data" / kind


def found() -> dict[str, Found]:
    """The servers of this user, answering or not, from what runs and not from notes that may be stale."""
    processes = list(_processes())
    servers = {}
    for kind in KINDS:
        mark = f" {_mark(home_of(kind))} "
        for pid, command in processes:
            if mark in command and "drr.Launcher" in command:
                try:
                    url = _ready((home_of(kind) / "log").read_text(encoding="utf-8", errors="replace"))
                except OSError:
                    url = None
                answering = url is not None and answers(int(url.rpartition(":")[2]))
                servers[kind] = Found(pid, url if answering else None, str(home_of(kind)))
    return servers


def _processes() -> Iterator[tuple[int, str]]:
    """Number and command line of everything that runs."""
    proc = Path("/proc")
    if (proc / "self" / "cmdline").exists():
        for folder in proc.iterdir():
            if folder.name.isdigit():
                with suppress(OSError):
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    yield int(folder.name), b" ".join(words).decode(errors="replace")
        return
    done = subprocess.run(["ps", "-axww", "-o", "pid=,command="], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        yield int(pid), command


def stop_process(pid: int, process: subprocess.Popen[bytes] | None = None, seconds: float = 15.0) -> None:
    """SIGTERM, and SIGKILL for one that does not listen. Without a `process` it must be one that was just found."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            break
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and alive(pid, process):
            time.sleep(0.05)
        if not alive(pid, process):
            break


def alive(pid: int, process: subprocess.Popen[bytes] | None = None) -> bool:
    if process is not None:
        return process.poll() is None
    return any(number == pid and "drr.Launcher" in command for number, command in _processes())


def answers(port: int) -> bool:
    """Tell whether something listens on this port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return False
    return True


def serve(ports: Mapping[str, int] = PORTS) -> None:
    """Start what does not run yet, and leave it running."""
    there = found()
    for kind in (kind for kind in KINDS if kind not in there):
        if ports[kind] and answers(ports[kind]):
            raise DrrError(f"port {ports[kind]} is in use, perhaps by a {kind} that runs already; stop it")
        start(kind, home_of(kind), port=ports[kind]).leave_running()


def stop_all() -> None:
    """Stop what was left running; its data stay."""
    for server in found().values():
        stop_process(server.pid)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make servers DO=", description=__doc__)
    parser.add_argument("action", choices=("start", "stop", "status"))
    action = parser.parse_args(words).action
    try:
        if action == "start":
            serve()
        elif action == "stop":
            stop_all()
    except DrrError as error:
        print(error, file=sys.stderr)
        return 1
    there = found()
    for kind in KINDS:
        server = there.get(kind)
        state = "not running" if server is None else server.url or f"process {server.pid} does not answer"
        print(f"{kind:<14} {state}")
    print(f"{'data':<14} {WORK / 'data'}")
    return (
        0 if action == "stop" or (all(one.url for one in there.values()) and len(there) == len(KINDS)) else 1
    )


if __name__ == "__main__":
    raise SystemExit(main())

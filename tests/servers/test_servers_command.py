"""`make servers`: started, found again by another process, stopped; and what it says where it cannot."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from drr.env.errors import DrrError

from tests.servers import testservers


@pytest.mark.servers
@pytest.mark.parametrize("kind", testservers.KINDS)
def test_a_server_does_not_outlive_a_killed_starter(settings: object, tmp_path: Path, kind: str) -> None:
    """A killed test run, or `make servers` killed before it was done."""
    script = (
        "import sys, time; from pathlib import Path; from tests.servers import testservers; "
        "server = testservers.start(sys.argv[1], Path(sys.argv[2])); print(server.process.pid, flush=True); "
        "time.sleep(600)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script, kind, str(tmp_path)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    assert testservers.alive(pid)
    starter.kill()
    starter.wait()
    starter.stdout.close()
    deadline = time.monotonic() + 30
    while testservers.alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not testservers.alive(pid)


def test_only_servers_of_this_user_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number in a file may by now be another process's; what is stopped is known by its command line."""
    monkeypatch.setattr(testservers, "WORK", tmp_path)
    argument = f"-Ddrr.home={testservers.home_of('mongodb').resolve()}"
    sleeping = "import time; print(flush=True); time.sleep(60)"
    own, *others = (
        subprocess.Popen([sys.executable, "-c", sleeping, *words], stdout=subprocess.PIPE)
        for words in (
            (argument, "drr.Launcher"),
            (argument,),
            (argument + "-other", "drr.Launcher"),
            ("-Ddrr.home=/x", "drr.Launcher"),
        )
    )
    for process in (own, *others):
        assert process.stdout is not None
        process.stdout.readline()
    try:
        assert testservers.found() == {
            "mongodb": testservers.Found(own.pid, None, str(testservers.home_of("mongodb")))
        }
        assert testservers.main(["stop"]) == 0
        assert own.wait(10) == -signal.SIGTERM
        assert all(process.poll() is None for process in others)
    finally:
        for process in (own, *others):
            process.kill()
            process.communicate()


@pytest.mark.servers
def test_start_status_stop(
    settings: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)
    ports = dict.fromkeys(testservers.KINDS, 0)
    assert testservers.main(["status"]) == 1 and testservers.found() == {}
    testservers.serve(ports)
    started = testservers.found()
    try:
        assert sorted(started) == sorted(testservers.KINDS)
        testservers.serve(ports)
        assert testservers.found() == started, "what runs already is left alone"
        assert testservers.main(["status"]) == 0 and str(started["mongodb"].url) in capsys.readouterr().out
        # One that hangs is told, not forgotten, and stopped all the same.
        (tmp_path / "data" / "mongodb" / "log").write_text("")
        assert testservers.main(["status"]) == 1 and "does not answer" in capsys.readouterr().out
    finally:
        testservers.stop_all()
    assert testservers.found() == {}
    assert not any(testservers.answers(int(str(one.url).rpartition(":")[2])) for one in started.values())


def test_a_port_in_use_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(DrrError, match="is in use"):
        testservers.serve({**testservers.PORTS, "mongodb": listener.getsockname()[1]})

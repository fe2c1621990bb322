"""`drr shop servers`: started, found again by another process, stopped; and what it says where it cannot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from drr.app import testservers
from drr.app.cli import main


@pytest.mark.servers
def test_start_status_stop(
    settings: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)

    def drr(*words: str, code: int = 0) -> Any:
        assert main(["shop", "servers", *words, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    assert drr("status", code=1) == {"mongodb": None, "elasticsearch": None}
    started = drr("start", "--mongodb-port", "0", "--elasticsearch-port", "0")
    try:
        assert drr("start") == started, "what runs already is left alone"
        assert drr("status") == started
        assert main(["shop", "servers", "status"]) == 0
        said = capsys.readouterr().out
        assert f"export DRR_MONGODB_URL={started['mongodb']['url']}" in said
        assert f"{tmp_path / 'data'}\n" in said and started["mongodb"]["data"] == str(
            tmp_path / "data" / "mongodb"
        )
        # One that hangs is told, not forgotten, and stopped all the same.
        (tmp_path / "data" / "mongodb" / "log").write_text("")
        assert drr("status", code=1)["mongodb"] == started["mongodb"] | {"url": None}
        assert main(["shop", "servers", "start"]) == 1
        assert "does not answer; `drr shop servers stop` stops it" in capsys.readouterr().err
    finally:
        assert drr("stop") == {"mongodb": None, "elasticsearch": None}
    assert drr("status", code=1) == {"mongodb": None, "elasticsearch": None}
    assert not any(testservers.answers(int(server["url"].rpartition(":")[2])) for server in started.values())


@pytest.mark.servers
@pytest.mark.parametrize("kind", testservers.KINDS)
def test_a_server_does_not_outlive_a_killed_starter(settings: object, tmp_path: Path, kind: str) -> None:
    """A killed test run, or `drr shop servers start` killed before it was done."""
    script = (
        "import sys, time; from pathlib import Path; from drr.app import testservers; "
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


def test_what_servers_keep_lies_in_the_users_cache_folder_and_not_in_the_checkout(tmp_path: Path) -> None:
    script = "from drr.app import testservers as t; print(t.home_of('mongodb')); print(t.BUILD)"
    places = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert places == [
        str(tmp_path / "drr" / "servers" / "data" / "mongodb"),
        str(tmp_path / "drr" / "servers" / "build"),
    ]


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
        assert main(["shop", "servers", "stop"]) == 0
        assert own.wait(10) == -signal.SIGTERM
        assert all(process.poll() is None for process in others)
    finally:
        for process in (own, *others):
            process.kill()
            process.communicate()


def test_without_a_jdk_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)
    monkeypatch.setattr(testservers, "_jdk_homes", lambda: iter([tmp_path]))
    assert main(["shop", "servers", "start", "--mongodb-port", "0"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and "no JDK >= 21 found" in err


def test_the_newest_jdk_that_compiles_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version, compiles in (
        ("a", "21.0.2", True), ("b", "25", True), ("c", "26", False), ("d", "17.0.9", True),
    ):  # fmt: skip
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
        if compiles:
            (tmp_path / name / "bin" / "javac").touch()
    monkeypatch.setattr(testservers, "_jdk_homes", lambda: iter(sorted(tmp_path.iterdir())))
    assert testservers.find_jdk() == tmp_path / "b"


def test_a_port_in_use_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import socket

    monkeypatch.setattr(testservers, "WORK", tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert main(["shop", "servers", "start", "--mongodb-port", str(listener.getsockname()[1])]) == 1
    assert "is in use" in capsys.readouterr().err

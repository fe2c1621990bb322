"""`drr servers`: started, found again by another process, stopped; and what it says where it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app import testservers
from app.cli import main


@pytest.mark.servers
def test_start_status_stop(
    settings: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)

    def drr(*words: str, code: int = 0) -> Any:
        assert main(["servers", *words, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    assert drr("status", code=1) == {"mongodb": None, "elasticsearch": None}
    started = drr("start", "--mongodb-port", "0", "--elasticsearch-port", "0")
    try:
        assert drr("start") == started, "what runs already is left alone"
        assert drr("status") == started
        assert main(["servers", "status"]) == 0
        assert f"export DRR_MONGODB_URL={started['mongodb']['url']}" in capsys.readouterr().out
    finally:
        assert drr("stop") == {"mongodb": None, "elasticsearch": None}
    assert drr("status", code=1) == {"mongodb": None, "elasticsearch": None}
    assert not any(testservers.answers(int(server["url"].rpartition(":")[2])) for server in started.values())


def test_without_a_jdk_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(testservers, "WORK", tmp_path)
    monkeypatch.setattr(testservers, "_jdk_homes", lambda: iter([tmp_path]))
    assert main(["servers", "start", "--mongodb-port", "0"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and len(err.splitlines()) == 1 and "no JDK >= 21 found" in err


def test_the_newest_jdk_that_compiles_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version, compiles in (
        ("a", "21.0.2", True),
        ("b", "25", True),
        ("c", "26", False),
        ("d", "17.0.9", True),
    ):
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
        assert main(["servers", "start", "--mongodb-port", str(listener.getsockname()[1])]) == 1
    assert "is in use" in capsys.readouterr().err

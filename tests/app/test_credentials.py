"""`drr shop servers password`: one file that compose and drr read, for this user alone, printed nowhere."""

from __future__ import annotations

import re
import stat
import subprocess
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import resolve

from tests.commands import Drr


def _values(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)


def test_the_password_is_for_this_user_alone_and_never_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["shop", "servers", "password"]) == 0
    file = tmp_path / ".env"
    values = _values(file)
    password = values["DRR_PASSWORD"]
    assert re.fullmatch(r"[0-9a-f]{48}", password)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    out, err = capsys.readouterr()
    assert password not in out + err and "set -a; . ./.env; set +a" in out
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings = resolve({}).settings
    assert settings.mongodb_url.get_secret_value() == f"mongodb://drr:{password}@127.0.0.1:27017"
    assert settings.elasticsearch_url.get_secret_value() == f"http://elastic:{password}@127.0.0.1:9200"


def test_the_shell_reads_what_is_printed(tmp_path: Path, drr: Drr) -> None:
    file = tmp_path / "my servers.env"
    sourced = drr.out("shop", "servers", "password", "--file", file).splitlines()[-1]
    done = subprocess.run(["sh", "-c", f"{sourced}; env"], capture_output=True, text=True, check=True)
    assert (
        _values(file).items()
        <= dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line).items()
    )


def test_what_a_file_holds_is_kept_and_a_second_password_or_no_place_refused(
    tmp_path: Path, drr: Drr
) -> None:
    """Servers know the password of their first start only: a second one would lock everybody out."""
    file = tmp_path / "env"
    file.write_text("OTHER=1")
    assert drr.json("shop", "servers", "password", "--file", file)["names"][0] == "DRR_PASSWORD"
    before = file.read_text()
    assert before.startswith("OTHER=1\nDRR_PASSWORD=")
    err = drr.err("shop", "servers", "password", "--file", file, code=1)
    assert "has DRR_PASSWORD already" in err and file.read_text() == before
    assert _values(file)["DRR_PASSWORD"] not in err
    assert drr.err("shop", "servers", "password", "--file", tmp_path / "no" / "env", code=1).count("\n") == 1

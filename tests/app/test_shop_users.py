"""`drr shop users` and `drr shop servers password`: whom to ask for, and one file of passwords for this user alone, printed nowhere."""

from __future__ import annotations

import re
import stat
import subprocess
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.env.settings import Settings, resolve
from drr.env.shop import open_shop

from tests.agents.garden import write_shop
from tests.commands import Drr


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("users") / "shop")
    write_shop(folder, Settings())
    return folder


def test_users_are_listed_with_their_orders_and_themes(shop: str, drr: Drr) -> None:
    users = drr.json("shop", "users", shop, "--min-orders", "1")["users"]
    with open_shop(shop, Settings()) as opened:
        assert {user["user_id"] for user in users} == set(opened.store.sample_users(10, seed=7, min_orders=1))
        for user in users:
            page = opened.store.orders(user["user_id"], limit=50)
            assert user["orders"] == page.total
            assert user["latest"] == max(order.order_date[:10] for order in page.items)
    assert [user["orders"] for user in users] == sorted((user["orders"] for user in users), reverse=True)
    assert any(user["themes"] for user in users)
    assert "ask for one: drr ask" in drr.out("shop", "users", shop, "--min-orders", "1", "--limit", "1")
    assert "no user has 1000 orders" in drr.err("shop", "users", shop, "--min-orders", "1000", code=1)


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


def test_the_shell_reads_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".env"
    sourced = drr.out("shop", "servers", "password").splitlines()[-1]
    done = subprocess.run(["sh", "-c", f"{sourced}; env"], capture_output=True, text=True, check=True)
    assert (
        _values(file).items()
        <= dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line).items()
    )


def test_what_a_file_of_users_holds_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    """Servers know the password of their first start only: a second one would lock everybody out."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / ".env"
    file.write_text("OTHER=1")
    assert drr.json("shop", "servers", "password")["names"][0] == "DRR_PASSWORD"
    before = file.read_text()
    assert before.startswith("OTHER=1\nDRR_PASSWORD=")
    err = drr.err("shop", "servers", "password", code=1)
    assert "has DRR_PASSWORD already" in err and file.read_text() == before
    assert _values(file)["DRR_PASSWORD"] not in err
    file.unlink()
    file.mkdir()
    assert drr.err("shop", "servers", "password", code=1).count("\n") == 1

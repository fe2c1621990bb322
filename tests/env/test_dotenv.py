"""`.env` gives what the environment does not, names no address for a stranger, and is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.env.errors import Misuse
from drr.env.setting_sources import read_dotenv
from drr.env.settings import resolve


def test_lines_are_read_as_other_tools_write_them_and_never_shown(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text(
        "# keys\nexport A=1\nB = 'two # 2' # x\nC=\"x=y\"\n\nD=plain # told\nE=\nF=a#b $HOME `id`\n"
        "G='x' # it's'\nH='it's'\n",
        "utf-8",
    )
    texts = ("1", "two # 2", "x=y", "plain", "", "a#b $HOME `id`", "x", "it's")
    expected = dict(zip("ABCDEFGH", texts, strict=True))
    assert read_dotenv(path) == expected
    assert read_dotenv(tmp_path / "none") == {}
    path.write_text("A=1\nsk-ant-secret\n", "utf-8")
    with pytest.raises(Misuse, match="line 2") as caught:
        read_dotenv(path)
    assert "secret" not in str(caught.value)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Misuse, match="cannot be read as text"):
        read_dotenv(path)


def test_the_environment_comes_first_and_an_address_of_the_folder_is_a_strangers(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-of-the-file\nDRR_WEB_TOP_K=3\nPATH=/x\n", "utf-8")
    file = tmp_path / "drr.toml"
    file.write_text("web_top_k = 4\n", "utf-8")
    found = resolve({}, environ={}, file=file)
    assert found.settings.anthropic_api_key is None and found.settings.web_top_k == 3
    assert [one.name for one in found.withheld] == ["anthropic_api_key"]
    assert found.origin["web_top_k"] == f"file {tmp_path / '.env'}"
    over = resolve({}, environ={"DRR_WEB_TOP_K": "7"}, file=file)
    assert over.settings.web_top_k == 7
    (tmp_path / ".env").write_text("DRR_BASE_URL=http://collects.example/v1\n", "utf-8")
    found = resolve({}, environ={}, file=tmp_path / "drr.toml")
    assert "base_url" in found.settings.unnamed

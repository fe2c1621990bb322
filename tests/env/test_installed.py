"""The command that adds an extra is the one that works for how this was installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.env.installation import NAME, install


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install '.[dr3]'"),
        ({"url": "https://example.org/x.whl"}, "pip install '.[dr3]'"),
        ({"url": "file://HERE", "dir_info": {}}, "pip install '.[dr3]'"),
        ({"url": "file://HERE", "dir_info": {"editable": True}}, "pip install -e '.[dr3]'"),
        ({"url": "file:///home/ann/my%20clone", "dir_info": {}}, "pip install '/home/ann/my clone[dr3]'"),
    ],
)
def test_an_extra_is_added_where_the_program_came_from(
    origin: dict[str, object] | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / f"{NAME.replace('-', '_')}-9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 9\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin).replace("HERE", str(tmp_path)))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert install("dr3") == command

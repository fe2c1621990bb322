"""The command that adds an extra is the one that works for how this was installed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from drr.env.errors import Misuse
from drr.env.installation import NAME, install, lack
from drr.env.plugins import missing_package_hint

from tests import commands


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


@pytest.mark.parametrize(
    ("hidden", "extra", "code"),
    [
        ("pyarrow", "tables", "import drr; drr.metrics('study')"),
        ("pyarrow", "tables", "from drr.data_ingest.catalogue.rows import open_table; open_table(HERE)"),
        ("pyarrow", "tables", "from drr.study.export import export; export(None, HERE.parent / 'out')"),
        ("trafilatura", "pages", "from drr.env.web.live import page_reader; page_reader('trafilatura')"),
    ],
)
def test_what_only_some_commands_need_is_named_with_its_extra(
    hidden: str, extra: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "rows.parquet"
    here.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(
        Misuse, match=f"need the package {hidden}, which is not installed: {re.escape(install(extra))}$"
    ):
        exec(code, {"HERE": here})
    assert [*tmp_path.iterdir()] == [here]
    assert missing_package_hint(f"{hidden}.part") == lack(hidden)


@pytest.mark.long
def test_the_demo_and_a_study_need_no_extra(tmp_path: Path) -> None:
    """What a plain install leaves out: a package added to the extras is added here."""
    code = (
        "import sys\nsys.modules.update(dict.fromkeys(('pyarrow', 'trafilatura')))\n"
        "from drr.app.cli import main\nsys.exit(main(sys.argv[1:]))"
    )
    done = commands.python(code, "demo", "demo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2_000:]

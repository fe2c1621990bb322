"""Files of others are read through one opener each: bounded, plain, and no link followed where a stranger made the folder."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.annotate.labels import Mark
from drr.app.study.frozen_sets import SeededShop, SetPart
from drr.data_ingest.fresh import ShopAxes, read_axes
from drr.env.checkable import Constraint
from drr.env.errors import DrrError, Misuse
from drr.env.web.sandbox import open_sandbox, write_sandbox
from drr.study.study import Study
from pydantic import ValidationError

from tests.commands import Drr
from tests.sources import SRC, modules
from tests.test_rooms import FOLDERS

OPENERS = {"env/small_files.py", "env/files.py"}
"""The readers themselves."""
OURS = {
    "papers/dr3/making/builtin_tasks.py", "app/annotate/page.py", "app/papers/printed.py",
    "app/training/proving.py", "app/study/outcome.py", "env/search/fields.py", "env/user_code.py", "env/minilm.py",
    "env/web/corpus/generate.py", "env/installation.py", "eval/canaries/planted_errors.py", "offline/surface.py",
    "offline/writer/rules.py", "papers/pdr/words/__init__.py", "papers/pdr/build.py",
    "papers/pdr/persona_json.py", "querygen/composing.py", "querygen/dataset.py", "querygen/service.py", "querygen/service_wish.py",
    "app/commands/demo.py", "wording/currencies.py", "wording/locale.py", "wording/vocabulary.py",
    "data_ingest/sample_products.py", "data_ingest/sample_text.py", "data_ingest/orders.py",
    "data_ingest/publisher.py", "data_ingest/catalogue/mapping.py",
}  # fmt: skip
"""They read what this package ships."""
MADE = {
    "study/bundle/archive.py", "app/bundles/builder.py", "study/bundle/parcel.py", "study/folders.py",
    "study/bundle/restore.py", "app/bundles/verifier.py", "querygen/review.py", "data_ingest/sample.py",
}  # fmt: skip
"""They read what this program wrote just now, in a folder of its own."""
KERNEL = {
    "agents/commands/launcher.py", "agents/commands/namespaces.py", "agents/commands/sight.py",
    "study/holders.py",
}  # fmt: skip
NAMED = {
    "agents/commands/command.py": "hashes the programs that the user names",
    "app/judge/check.py": "a report, 1 MB at most",
    "app/cli.py": "/dev/null",
    "app/session.py": "an answer of a server",
    "app/commands/env.py": "the settings file of this user",
    "env/embedded/layout.py": "hashes files of a shop that were looked through, 1 GiB of holes at most",
    "env/embedded/writer.py": "a lock",
    "env/plugins.py": "entry points of installed packages",
    "eval/foreign/form.py": "hashes a file in pieces",
    "eval/stats/aggregate.py": "lines of bounded length, one at a time",
    "extras/ray/cluster.py": "the address of Ray on this machine",
    "llm/budget.py": "the room may import nothing of ours; 256 KB at most",
    "llm/prompts.py": "prompts that the user names",
    "tools/guard.py": "a file of tokens that the user names",
}
RAW = {
    f"data_ingest/{name}.py"
    for name in ("blocks", "download", "quarantine", "recipe", "catalogue/rows", "catalogue/ingest")
}
"""They read raw files, in blocks."""
READERS = {"read_text", "read_bytes"}


@pytest.fixture
def study(drr: Drr, new: Callable[..., list[str]], tmp_path: Path) -> Path:
    drr.out("run", *new(), "--quiet")
    return tmp_path / "study"


def _reads(tree: ast.Module) -> list[int]:
    """Find calls that read a file, unless its path begins at this package."""
    found = []
    for node in ast.walk(tree):
        if (
            not isinstance(node, ast.Call)
            or "__file__" in (words := ast.unparse(node))
            or "files('drr" in words
        ):
            continue
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        mode = next(
            (one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)), "r"
        )
        match node.func:
            case ast.Name("open"):
                found += [node.lineno] if mode[0] == "r" or not given[1:] else []
            case ast.Attribute(ast.Name("tomllib"), "load" | "loads") | ast.Attribute(
                _, "read_text" | "read_bytes"
            ):
                found.append(node.lineno)
            case ast.Attribute(ast.Name("json"), "load"):
                found.append(node.lineno)
            case ast.Attribute(ast.Name("path" | "file" | "source"), "open") if mode[0] == "r":
                found.append(node.lineno)
            case ast.Attribute(ast.BinOp() | ast.Call(ast.Name("Path")), "open") if mode[0] == "r":
                found.append(node.lineno)
    return found


@pytest.mark.parametrize("room", FOLDERS)
def test_no_room_has_readers_of_its_own(room: str) -> None:
    known = OPENERS | OURS | MADE | KERNEL | RAW | set(NAMED)
    wrong = [
        f"{path.relative_to(SRC)}:{line}"
        for path, tree in modules(room)
        if str(path.relative_to(SRC)) not in known
        for line in _reads(tree)
    ]
    assert wrong == [], "read it by drr.env.small_files, drr.env.files or drr.env.jsonl"


def test_the_list_of_readers_names_no_module_that_is_gone() -> None:
    known = OPENERS | OURS | MADE | KERNEL | RAW | set(NAMED)
    assert [name for name in known if not (SRC / name).is_file()] == []


@pytest.mark.parametrize(
    "name", ["notes.jsonl", "persons.jsonl", "criteria.jsonl", "review/anna.jsonl", "queries.jsonl"]
)
def test_a_link_leads_into_no_bundle_and_no_board(drr: Drr, study: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET of the user\n")
    (study / name).parent.mkdir(exist_ok=True)
    (study / name).unlink(missing_ok=True)
    (study / name).symlink_to(secret)
    for words in (
        ["bundle", "make", str(study), "--out", str(tmp_path / "made.bundle")],
        ["board", str(study), "--out", str(tmp_path / "site")],
        *([] if "/" in name else [["run", str(study), "--dry-run"]]),
    ):
        code, _, err = drr(*words)
        assert code in (1, 2) and "put the file itself there" in err, (words, err)
    assert not (tmp_path / "made.bundle").exists()
    assert not [path for path in tmp_path.rglob("site/**/*.*") if b"SECRET" in path.read_bytes()]


def test_a_pipe_in_a_study_is_not_waited_for(study: Path) -> None:
    os.mkfifo(study / "criteria.jsonl")
    with pytest.raises(DrrError, match="no plain file"):
        Study.read(study)


def test_only_known_files_go_into_a_bundle(drr: Drr, study: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.bundle"
    (study / "notes.jsonl").write_text('{"mine": "SECRET"}\n')
    (study / "failure_labels.jsonl").write_text("")
    drr.out("bundle", "make", str(study), "--out", str(out), "--quiet")
    listed = subprocess.run(
        ["tar", "-xOJf", str(out), "beside.jsonl"], capture_output=True, text=True, check=True
    )
    assert "SECRET" not in listed.stdout and "failure_labels.jsonl" in listed.stdout


def test_axes_are_bounded_before_they_are_parsed(tmp_path: Path) -> None:
    path = tmp_path / "axes.toml"
    path.write_text("a." * 60_000 + "b = 1\n")
    with pytest.raises(Misuse, match="a key of more than 32 parts"):
        read_axes(path, "small")
    with pytest.raises(ValidationError):
        ShopAxes(products=10**9)


def test_a_part_of_a_set_lies_in_it() -> None:
    with pytest.raises(ValidationError):
        SetPart(name="../../outside", count=1, shop="", web="", questions="")


def test_a_web_of_links_and_pipes_is_refused(tmp_path: Path) -> None:
    write_sandbox(open_sandbox().documents[:1], tmp_path / "web")
    documents = tmp_path / "web" / "documents.jsonl"
    documents.rename(tmp_path / "elsewhere")
    for make in (lambda: documents.symlink_to(tmp_path / "elsewhere"), lambda: os.mkfifo(documents)):
        make()
        with pytest.raises(DrrError, match="put the file itself there"):
            open_sandbox(tmp_path / "web")
        documents.unlink()


def test_a_number_that_is_none_is_named_where_it_is_read() -> None:
    with pytest.raises(ValidationError, match="the value of price_max is a number"):
        Constraint(kind="price_max", value="zz")
    with pytest.raises(ValidationError):
        SeededShop(seed=2**64, axes=ShopAxes())
    for seconds in (1.7e308, -1):
        with pytest.raises(ValidationError):
            Mark(pair="p", dimension="d", choice="left", seconds=seconds)

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
from tests.sources import FOLDERS, SRC, modules, walked

READERS = {
    "the readers themselves": "env/small_files.py env/files.py",
    "what this package ships":
        "app/annotate/page.py app/papers/printed.py app/study/frozen_sets.py app/study/outcome.py data_ingest/orders.py data_ingest/publisher.py "
        "data_ingest/sample_text.py env/installation.py env/minilm.py env/search/fields.py env/user_code.py "
        "env/web/corpus/generate.py offline/writer/rules.py papers/pdr/build.py papers/pdr/persona_json.py querygen/dataset.py "
        "querygen/joined/wording.py wording/budgets.py wording/locale.py",
    "what this program wrote just now, in a folder of its own":
        "app/bundles/verifier.py data_ingest/sample.py querygen/review.py study/bundle/archive.py study/bundle/parcel.py "
        "study/bundle/restore.py study/folders.py",
    "raw files, in blocks":
        "data_ingest/blocks.py data_ingest/catalogue/ingest.py data_ingest/catalogue/rows.py data_ingest/recipe.py",
    "what the kernel tells": "agents/commands/launcher.py agents/commands/sight.py study/holders.py",
    "hashes of programs and files, in pieces": "agents/commands/command.py eval/foreign/form.py",
    "files of a shop that were looked through, 1 GiB of holes at most, and its lock": "env/embedded/layout.py env/embedded/writer.py",
    "a report, 1 MB at most": "app/judge/check.py",
    "an answer of a server": "app/session.py",
    "the settings file, the prompts and the tokens that the user names": "app/commands/env.py llm/prompts.py tools/guard.py",
    "the address of Ray on this machine": "extras/ray/cluster.py",
    "prices, 256 KB at most: the room may import nothing of ours": "llm/budget.py",
}  # fmt: skip
"""What modules read by themselves."""


@pytest.fixture
def study(drr: Drr, new: Callable[..., list[str]], tmp_path: Path) -> Path:
    drr.out("run", *new(), "--quiet")
    return tmp_path / "study"


def _shipped(tree: ast.Module) -> set[str]:
    """Return the module's constants whose value begins at this package."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _begins_here(node.value, found):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {one.id for one in targets if isinstance(one, ast.Name)}
    return found


def _begins_here(node: ast.AST, names: set[str]) -> bool:
    words = ast.unparse(node)
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return "__file__" in words or "files('drr" in words or not names.isdisjoint(used)


def _reads(tree: ast.Module) -> list[int]:
    """Find calls that read a file, unless its path begins at this package."""
    found, shipped = list[ast.Call](), _shipped(tree)
    for node in walked(tree):
        if not isinstance(node, ast.Call):
            continue
        given = (*node.args, *(keyword.value for keyword in node.keywords))
        mode = next(
            (one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)), "r"
        )
        match node.func:
            case ast.Name("open") if mode[0] == "r" or not given[1:]:
                found.append(node)
            case ast.Attribute(ast.Name("tomllib"), "load" | "loads") | ast.Attribute(
                _, "read_text" | "read_bytes"
            ):
                found.append(node)
            case ast.Attribute(ast.Name("json"), "load"):
                found.append(node)
            case ast.Attribute(ast.Name("path" | "file" | "source"), "open") if mode[0] == "r":
                found.append(node)
            case ast.Attribute(ast.BinOp() | ast.Call(ast.Name("Path")), "open") if mode[0] == "r":
                found.append(node)
    return [node.lineno for node in found if not _begins_here(node, shipped)]


def test_who_reads_files_by_himself_is_listed_with_a_reason() -> None:
    found = {
        str(path.relative_to(SRC)): lines
        for room in FOLDERS
        for path, tree in modules(room)
        if (lines := _reads(tree))
    }
    listed = {name for names in READERS.values() for name in names.split()}
    new = {name: lines for name, lines in found.items() if name not in listed}
    assert new == {}, "read it by drr.env.small_files, drr.env.files or drr.env.jsonl"
    assert listed - found.keys() == set(), "it reads no more: take it out of the list"


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

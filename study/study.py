"""A study: a folder with a resolved configuration, a ledger, and blobs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, cast

from drr.env.errors import DrrError, Misuse
from drr.env.files import check_unlinked, private, write_file
from drr.env.json_object import JsonObject
from drr.study import toml
from drr.study.blobs import Blobs
from drr.study.ledger import Ledger
from drr.study.unit import Kind, Record, Status, Unit

_CONFIG = "study.toml"
_LEDGER = "ledger.sqlite"
_LEDGERS = tuple(_LEDGER + ending for ending in ("", "-wal", "-shm", "-journal"))


class StudyConfig(TypedDict, total=False):
    """`study.toml`. Studies of before may lack any of it."""

    schema: int
    made_by: str
    run: JsonObject
    """What was asked for, as the command that made the study keeps it; `shop` is the shop, wherever there is one."""
    settings: JsonObject
    """All that were resolved, but for secrets."""


class Study:
    """Opened by `create` or `open`; closed when left as a context."""

    def __init__(self, folder: Path, config: StudyConfig, ledger: Ledger) -> None:
        self.folder = folder
        self.config = config
        self.ledger = ledger
        self.blobs = Blobs(folder / "blobs")

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / _CONFIG).is_file() and (folder / _LEDGER).is_file()

    @classmethod
    def create(cls, folder: Path, config: StudyConfig) -> Self:
        """A new study, or the one that is there with this configuration in place of its own. `config` holds no secret."""
        if not cls.exists(folder):
            if folder.exists() and (not folder.is_dir() or not _is_begun(folder)):
                raise Misuse(f"{folder}: neither empty nor a study; name a new folder")
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=private(0o777), exist_ok=True)
        _check_parts(folder)
        ledger = Ledger(folder / _LEDGER, create=True)
        study = cls(folder, config.copy(), ledger)
        study._save_config()
        return study

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Self:
        """`read_only` for a worker: its ledger takes no write from here."""
        if not cls.exists(folder):
            raise Misuse(
                f"{folder}: not a study (no {_CONFIG} and {_LEDGER}); `drr run {folder} ...` makes one"
            )
        _check_parts(folder)
        try:
            config = cast(StudyConfig, tomllib.loads((folder / _CONFIG).read_text(encoding="utf-8")))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DrrError(
                f"{folder / _CONFIG}: cannot be read ({error}); restore it or start a new study"
            ) from error
        return cls(folder, config, Ledger(folder / _LEDGER, read_only=read_only))

    def _save_config(self) -> None:
        write_file(
            self.folder / _CONFIG,
            "# Resolved configuration of this study; `drr run` continues with it.\n"
            + toml.dumps(self.config),
            private(0o666),
        )

    def close(self) -> None:
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def retire(self, kind: Kind, keep: Iterable[Unit]) -> int:
        """Of this kind only `keep` counts from now on; the others and their records stay aside. Gives how many."""
        return self.ledger.units.retire(kind, [unit.key for unit in keep])

    def records(
        self, kind: Kind | None = None, status: Status | None = "done", *, current: bool = True
    ) -> Iterator[Record]:
        """In key order; those that are done, unless another status or `None` (any) is asked for."""
        return self.ledger.records.all(kind, status, current=current)

    def record(self, key: str) -> Record | None:
        return self.ledger.records.get(key)

    def text(self, record: Record, name: str) -> str | None:
        """A named text of a record; `None` if it left none of this name."""
        digest = record.blobs.get(name)
        return None if digest is None else self.blobs.get(digest).decode("utf-8")

    def json(self, record: Record, name: str) -> Any:
        text = self.text(record, name)
        return None if text is None else json.loads(text)


def _is_begun(folder: Path) -> bool:
    """Empty, or with no more in it than a study leaves that was stopped while it was made."""
    return all(path.name in _LEDGERS or path.name.startswith(f".{_CONFIG}.") for path in folder.iterdir())


def _check_parts(folder: Path) -> None:
    """Whatever is written into a study lands in it, whoever made the folder."""
    check_unlinked(
        folder, _CONFIG, *_LEDGERS, "blobs", "queries.jsonl", "key_points.jsonl", "pages", "annotation"
    )
    check_unlinked(folder / "pages", "pages", "texts", "raw", "locks")

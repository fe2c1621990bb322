"""A study: a folder with a resolved configuration, a ledger, and blobs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import file_digest, sha256
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

from drr.env.errors import DrrError, Misuse
from drr.env.files import LARGEST, check_entries, check_unlinked, open_plain, owner_only_mode, write_file
from drr.env.small_files import read_toml
from drr.env.trust import is_known
from drr.study import config
from drr.study.blobs import Blobs, LostText
from drr.study.config import QUERIES, StudyConfig, check_config
from drr.study.ledger import NO_FILE, Ledger
from drr.study.unit import Kind, Record, Status, Unit

_ASIDE = frozenset({"transcript", "raw_report", "traceback"})
"""Names of an answer's texts that decide no result."""
_CONFIG = "study.toml"
_LEDGER = "ledger.sqlite"
_LEDGERS = tuple(_LEDGER + ending for ending in ("", "-wal", "-shm", "-journal"))


class Loss(NamedTuple):
    """An answer whose texts are missing, with the names of these texts."""

    label: str
    names: tuple[str, ...]
    imported: bool


class Study:
    """A study on disk, opened by `create`, `read` or `open` and closed at the end of a `with` block."""

    def __init__(self, folder: Path, config: StudyConfig, found: Mapping[str, str], ledger: Ledger) -> None:
        """Take the parts of a study. `found` holds hashes of its files from before the ledger was opened, which the ledger must know."""
        self.folder = folder
        self.config = config
        self.ledger = ledger
        self._found = found
        self.blobs = Blobs(folder / "blobs")
        self.losses: dict[str, Loss] = {}
        """Answers found to lack texts since the study was opened, by key."""

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / _CONFIG).is_file() and (folder / _LEDGER).is_file()

    @classmethod
    def create(cls, folder: Path, config: StudyConfig) -> Self:
        """Create a study, or open an existing one with this configuration in place of its own. `config` holds no secret."""
        if not cls.exists(folder):
            if folder.exists() and (not folder.is_dir() or not _is_begun(folder)):
                raise Misuse(f"{folder}: neither empty nor a study; name a new folder")
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=owner_only_mode(0o777), exist_ok=True)
        _check_parts(folder)
        study = cls(folder, config.copy(), _found(folder), Ledger(folder / _LEDGER, create=True))
        study._check_unchanged()
        study._save_config()
        return study

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open a study for reading only. A study that this user did not make here is not changed, not even by SQLite's files beside it."""
        study = cls._open(folder, read_only=True, apart=not is_known(folder))
        study._check_unchanged()
        return study

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Self:
        """Open a study for writing, and check that no file was changed outside this program.

        With `read_only` a worker opens it, without the check: the process that started the worker has made it."""
        study = cls._open(folder, read_only=read_only)
        if not read_only:
            study._check_unchanged()
        return study

    @classmethod
    def damage(cls, folder: Path) -> tuple[int, list[str]]:
        """Return the number of ended units, and the names of units, texts and files that were changed."""
        ended = 0
        with cls._open(folder, read_only=True, apart=not is_known(folder)) as study:
            broken = study.ledger.db.altered_rows()
            changed = broken or study._changed_files()
            for record in () if broken else study.records(status=None, current=False):
                ended += 1
                study.blobs.check(record.blobs.values())
                lost = (name for name, digest in record.blobs.items() if not study.blobs.has(digest))
                changed += [f"{record.label}, {name}" for name in lost]
        return ended, changed

    @classmethod
    def _open(cls, folder: Path, *, read_only: bool, apart: bool = False) -> Self:
        if not cls.exists(folder):
            within = [one.parent for one in sorted(folder.glob(f"*/{_CONFIG}")) if cls.exists(one.parent)]
            hint = f"did you mean {within[0]}?" if within else f"`drr run {folder} ...` makes one"
            raise Misuse(f"{folder}: not a study (no {_CONFIG} and {_LEDGER}); {hint}")
        _check_parts(folder)
        try:
            config = cast(StudyConfig, read_toml(folder / _CONFIG))
        except (OSError, ValueError) as error:
            raise DrrError(
                f"{folder / _CONFIG}: cannot be read ({error}); restore it or start a new study"
            ) from error
        check_config(config, folder / _CONFIG)
        return cls(folder, config, _found(folder), Ledger(folder / _LEDGER, read_only=read_only, apart=apart))

    def reconfigure(self, config: StudyConfig) -> None:
        """Replace the configuration by another one, which holds no secret either."""
        self.config = config.copy()
        self._save_config()

    def _save_config(self) -> None:
        head = "# Resolved configuration of this study; `drr run` continues with it.\n"
        self.write(_CONFIG, head + config.config_text(self.config))

    def write(self, name: str, text: str) -> None:
        """Replace a file whose hash the ledger keeps. The new hash is stored first, so that the file's hash is known at any time."""
        path = self.folder / name
        self.ledger.seal(name, _hash_of(path), sha256(text.encode()).hexdigest())
        write_file(path, text, owner_only_mode(0o666))

    def _changed_files(self) -> list[str]:
        """Return the names of files that were changed outside this program. A file without a stored hash, as in older studies, counts as unchanged."""
        known = {name: self.ledger.hashes_of(name) for name in self._found}
        return [name for name, found in self._found.items() if known[name] and found not in known[name]]

    def _check_unchanged(self) -> None:
        changed = self.ledger.db.altered_rows()
        # The hashes of files stand in the ledger, so a changed ledger proves nothing about them.
        files = [] if changed else self._changed_files()
        if wrong := changed or files:
            self.close()
            where = self.folder / files[0] if files else self.ledger.path
            raise DrrError(
                f"{where}: is not as it was written ({len(wrong):,} things, the first is {wrong[0][:80]}); "
                f"restore it from a copy. `drr study check {self.folder}` names all; only `drr run` changes it"
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
        """Let only the units of `keep` count in a kind of units, and return how many others do not. Their records stay."""
        return self.ledger.units.retire(kind, [unit.key for unit in keep])

    def records(
        self, kind: Kind | None = None, status: Status | None = "done", *, current: bool = True
    ) -> Iterator[Record]:
        """Yield records of a status (`done` by default, `None` for all) in the order of keys."""
        return self.ledger.records.all(kind, status, current=current)

    def record(self, key: str) -> Record | None:
        return self.ledger.records.get(key)

    def lost(self, record: Record) -> list[str]:
        """Return the names of an answer's texts that are missing or changed. Readers leave out such an answer."""
        if record.kind != "answer" or not record.done:
            return []
        names = [n for n, d in record.blobs.items() if n not in _ASIDE and not self.blobs.has(d)]
        if names:
            self.losses[record.key] = Loss(
                record.label, tuple(sorted(names)), bool(record.result.get("imported"))
            )
        return names

    def look_for_losses(self) -> None:
        """Read every text of every answer, and note the answers whose texts are missing or changed."""
        answers = list(self.records("answer"))
        self.blobs.check({digest for record in answers for digest in record.blobs.values()})
        for record in answers:
            self.lost(record)

    def broken(self) -> list[str]:
        """Read every text of every record, and return the hashes of texts that are missing or changed."""
        digests = self.ledger.records.every_text()
        self.blobs.check(digests)
        return sorted(digest for digest in digests if not self.blobs.has(digest))

    def reopen_lost(self, keys: Iterable[str]) -> list[str]:
        """Mark the answers that lack texts as failed, and return their keys. Their judgements no longer count."""
        records = (self.record(key) for key in keys)
        found = [record.key for record in records if record is not None and self.lost(record)]
        self.ledger.records.reopen(found, "lost", "texts that it rests on are no longer in the study")
        return found

    def kept_text(self, record: Record, name: str) -> str | None:
        """Return a text of a record as `text` does, but `None` where it was lost."""
        try:
            return self.text(record, name)
        except LostText:
            return None

    def text(self, record: Record, name: str) -> str | None:
        """Return a text of a record by name; `None` if the record has no text of this name."""
        digest = record.blobs.get(name)
        return None if digest is None else self.blobs.get(digest).decode("utf-8")

    def json(self, record: Record, name: str) -> Any:
        text = self.text(record, name)
        return None if text is None else json.loads(text)


def _found(folder: Path) -> dict[str, str]:
    return {name: _hash_of(folder / name) for name in (_CONFIG, QUERIES)}


def _hash_of(path: Path) -> str:
    try:
        with open_plain(path) as file:
            small = os.fstat(file.fileno()).st_size <= LARGEST
            return file_digest(file, "sha256").hexdigest() if small else "too_large"
    except FileNotFoundError:
        return NO_FILE


def _is_begun(folder: Path) -> bool:
    """Tell whether a folder is empty, or has only the files of a study whose creation was stopped."""
    return all(path.name in _LEDGERS or path.name.startswith(f".{_CONFIG}.") for path in folder.iterdir())


def _check_parts(folder: Path) -> None:
    """Check that no part of a study's folder is a link, so that writes stay within the folder."""
    check_entries(folder, deep=False)
    check_unlinked(folder, "blobs", "pages", "annotation", "review")
    check_unlinked(folder / "pages", "pages", "texts", "raw", "locks")

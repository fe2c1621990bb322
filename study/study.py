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
from drr.env.files import LARGEST, check_entries, check_unlinked, open_plain, private, write_file
from drr.env.small_files import read_toml
from drr.env.trust import is_known
from drr.study import config
from drr.study.blobs import Blobs, LostText
from drr.study.config import QUERIES, StudyConfig, check_config
from drr.study.ledger import NO_FILE, Ledger
from drr.study.unit import Kind, Record, Status, Unit

_ASIDE = frozenset({"transcript", "raw_report", "traceback"})
"""Texts of an answer that nothing is decided by."""
_CONFIG = "study.toml"
_LEDGER = "ledger.sqlite"
_LEDGERS = tuple(_LEDGER + ending for ending in ("", "-wal", "-shm", "-journal"))


class Loss(NamedTuple):
    """An answer that lacks texts."""

    label: str
    names: tuple[str, ...]
    imported: bool


class Study:
    """Opened by `create` or `open`; closed when left as a context."""

    def __init__(self, folder: Path, config: StudyConfig, found: Mapping[str, str], ledger: Ledger) -> None:
        """`found` are hashes of its files from before the ledger was opened: it knows each of them already."""
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
        """A new study, or the one that is there with this configuration in place of its own. `config` holds no secret."""
        if not cls.exists(folder):
            if folder.exists() and (not folder.is_dir() or not _is_begun(folder)):
                raise Misuse(f"{folder}: neither empty nor a study; name a new folder")
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=private(0o777), exist_ok=True)
        _check_parts(folder)
        study = cls(folder, config.copy(), _found(folder), Ledger(folder / _LEDGER, create=True))
        study._check_unchanged()
        study._save_config()
        return study

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Open it to look only. A study that this user did not make here is left as it is, down to what SQLite keeps beside it."""
        study = cls._open(folder, read_only=True, apart=not is_known(folder))
        study._check_unchanged()
        return study

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Self:
        """`read_only` for a worker: its ledger takes no write from here, and was looked through by who started it."""
        study = cls._open(folder, read_only=read_only)
        if not read_only:
            study._check_unchanged()
        return study

    @classmethod
    def damage(cls, folder: Path) -> tuple[int, list[str]]:
        """Tell how many units ended, and which units, texts and files are not as they were written."""
        ended = 0
        with cls._open(folder, read_only=True, apart=not is_known(folder)) as study:
            broken = study.ledger.db.changed()
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
        """Go on with another configuration, which holds no secret either."""
        self.config = config.copy()
        self._save_config()

    def _save_config(self) -> None:
        head = "# Resolved configuration of this study; `drr run` continues with it.\n"
        self.write(_CONFIG, head + config.dumps(self.config))

    def write(self, name: str, text: str) -> None:
        """Replace a file that the ledger vouches for. Its hash is sealed first: whenever this is cut off, the file's hash is known."""
        path = self.folder / name
        self.ledger.seal(name, _hash_of(path), sha256(text.encode()).hexdigest())
        write_file(path, text, private(0o666))

    def _changed_files(self) -> list[str]:
        """Name the files that somebody else changed. A file that was never sealed, as in an older study, counts as whole."""
        known = {name: self.ledger.hashes_of(name) for name in self._found}
        return [name for name, found in self._found.items() if known[name] and found not in known[name]]

    def _check_unchanged(self) -> None:
        changed = self.ledger.db.changed()
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
        """Let only `keep` of this kind count from now on; the others and their records stay aside. Gives how many."""
        return self.ledger.units.retire(kind, [unit.key for unit in keep])

    def records(
        self, kind: Kind | None = None, status: Status | None = "done", *, current: bool = True
    ) -> Iterator[Record]:
        """Yield records in key order; those that are done, unless another status or `None` (any) is asked for."""
        return self.ledger.records.all(kind, status, current=current)

    def record(self, key: str) -> Record | None:
        return self.ledger.records.get(key)

    def lost(self, record: Record) -> list[str]:
        """The names of texts that this answer rests on and the folder no longer holds. Such an answer is left out everywhere."""
        if record.kind != "answer" or not record.done:
            return []
        names = [n for n, d in record.blobs.items() if n not in _ASIDE and not self.blobs.has(d)]
        if names:
            self.losses[record.key] = Loss(
                record.label, tuple(sorted(names)), bool(record.result.get("imported"))
            )
        return names

    def look_for_losses(self) -> None:
        """Read every text of every answer: what has another content than it had is lost too."""
        answers = list(self.records("answer"))
        self.blobs.check({digest for record in answers for digest in record.blobs.values()})
        for record in answers:
            self.lost(record)

    def broken(self) -> list[str]:
        """Read every text that some unit left, and give the hashes of those that are not here as they were."""
        digests = self.ledger.records.every_text()
        self.blobs.check(digests)
        return sorted(digest for digest in digests if not self.blobs.has(digest))

    def reopen_lost(self, keys: Iterable[str]) -> list[str]:
        """Reopen lost answers. Those that lost texts count as failed from now on, and their judgements as not made."""
        records = (self.record(key) for key in keys)
        found = [record.key for record in records if record is not None and self.lost(record)]
        self.ledger.records.reopen(found, "lost", "texts that it rests on are no longer in the study")
        return found

    def kept_text(self, record: Record, name: str) -> str | None:
        """Return a text as `text` does, but `None` also for what was lost: for those who show what there is."""
        try:
            return self.text(record, name)
        except LostText:
            return None

    def text(self, record: Record, name: str) -> str | None:
        """A named text of a record; `None` if it left none of this name."""
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
    """Empty, or with no more in it than a study leaves that was stopped while it was made."""
    return all(path.name in _LEDGERS or path.name.startswith(f".{_CONFIG}.") for path in folder.iterdir())


def _check_parts(folder: Path) -> None:
    """Whatever is written into a study lands in it, whoever made the folder."""
    check_entries(folder, deep=False)
    check_unlinked(folder, "blobs", "pages", "annotation", "review")
    check_unlinked(folder / "pages", "pages", "texts", "raw", "locks")

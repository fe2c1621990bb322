"""Reads and writes in folders that may come from a stranger: harmless names, no links to elsewhere."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import sqlite3
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from typing import IO, Annotated

from drr.env.errors import DrrError, Misuse
from pydantic import AfterValidator

LARGEST = 1 << 30
"""Largest file read whole, in bytes; the largest text of a study is far smaller."""
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
LONGEST_ID = 200
SHORT = 16
"""Digits of a hash that are enough to tell a study's answers apart."""


def at_home(path: str | Path) -> Path:
    """Expand `~` to this user's home folder; `~` stays if the user has none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def checked_id(text: str) -> str:
    """Check an id from a file and return it. Ids are parts of labels (`query/variant/trial`), of addresses and of file names."""
    wrong = "is empty" if not text.strip() else "is `.` or `..`" if text in (".", "..") else None
    if len(text) > LONGEST_ID:
        wrong = f"is longer than {LONGEST_ID} characters"
    elif any(c in "/\\" or not (c.isprintable() or c == "\u00a0") for c in text):
        wrong = "holds a slash, a backslash or a character that cannot be printed"
    if wrong is not None:
        raise ValueError(f"an id that {wrong}; use letters, digits, `.`, `_`, `-`")
    return text


Id = Annotated[str, AfterValidator(checked_id)]
"""The type of every id that comes from a file."""


def shop_address(address: object) -> str:
    """Return the address of a shop. `ValueError` where it could tell a judge more, whose instructions hold it."""
    text = address if isinstance(address, str) and address.isprintable() else ""
    if len(text) > 200 or not re.fullmatch(r"https?://\S+", text, re.IGNORECASE):
        raise ValueError(
            "not an address with http or https, on one line, without blanks, of at most 200 characters"
        )
    return text


ShopAddress = Annotated[str, AfterValidator(shop_address)]


def file_name(text: str) -> str:
    """Turn a text into part of a file name. A harmless text stays; any other becomes a hash, which looks like no harmless name."""
    if _PLAIN.fullmatch(text) and not text.endswith("."):
        return text
    return "~" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def short_name(key: str) -> str:
    """Shorten an answer's key for people to the first digits of a hash. Any other key becomes part of a file name."""
    return key[:SHORT] if is_digest(key) else file_name(key)


def is_digest(text: object) -> bool:
    """Tell whether a text is a SHA-256 in hexadecimal; such a text cannot be a path."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def check_unlinked(folder: Path, *names: str) -> None:
    """Raise `DrrError` if an entry of the folder is a link: a write to it would land elsewhere."""
    for name in names:
        if (folder / name).is_symlink():
            raise DrrError(f"{folder / name}: is a link; put the file itself there")


def check_alone(path: Path, links: int) -> None:
    """Raise `DrrError` for a file with another hard link: a write would change the file under its other name too."""
    if links > 1:
        raise DrrError(
            f"{path}: is a hard link, the same file has another name elsewhere; make it a file of its own: "
            f"`cp {path} {path}.new && mv {path}.new {path}`"
        )


def check_plain(folder: Path) -> None:
    """Raise `DrrError` if the folder is a link or holds, at any depth, a link, a pipe or a device. Links lead
    elsewhere, and reading a pipe or device may never end."""
    if folder.is_symlink():
        raise DrrError(f"{folder}: is a link; put the folder itself there")
    check_entries(folder)


def check_entries(folder: Path, *, deep: bool = True) -> None:
    """Raise `DrrError` if the folder holds a link, a pipe or a device; the folder itself may be a link. `deep` includes subfolders."""
    left = [folder]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left += [Path(entry.path)] if deep else []
                elif not entry.is_file(follow_symlinks=False):
                    what = "a link" if entry.is_symlink() else "no plain file"
                    raise DrrError(f"{entry.path}: is {what}; put the file itself there")


def check_ours(folder: Path, mark: str, command: str) -> None:
    """Raise `Misuse` if a folder is not empty and lacks this program's marker file. Only a folder with that file may be replaced."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Misuse(f"{folder}: is no folder; name a new one")
    if folder.exists() and any(folder.iterdir()) and not (folder / mark).is_file():
        raise Misuse(f"{folder}: not empty and not written by `{command}`; name a new folder")


def read_file(path: Path, most: int = LARGEST) -> bytes:
    """Read a regular file whole. Raises `DrrError` for a device, a pipe or a file longer than `most`, and `OSError` for a link or a missing file."""
    with open_plain(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise DrrError(f"{path}: is no plain file of at most {most:,} bytes; put the file itself there")
        return file.read(most)


def open_plain(path: Path) -> BufferedReader:
    """Open a file of a stranger's folder. Links are not followed, and opening never waits for a pipe or a device."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise DrrError(f"{path}: is no plain file; put the file itself there")
    return os.fdopen(handle, "rb")


def sparse_bytes(path: Path) -> int:
    """Return the bytes of a file that take no room on the disk, as far as the file system tells."""
    with path.open("rb") as file:
        size, at, stored = os.fstat(file.fileno()).st_size, 0, 0
        while at < size:
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole is left
                break
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            stored += at - start
    return size - stored


_USUAL = (0o022, 0o002)
"""The usual umasks of systems, where the user chose none."""


def owner_only_mode(mode: int) -> int:
    """Reduce a file mode to the owner's rights, because a study holds private data. Under a umask that the user chose, the mode stays."""
    return mode & 0o700 if _umask() in _USUAL else mode


def opener(path: str, flags: int) -> int:
    """Open a file with the rights that `owner_only_mode` gives a new file; to be passed to `open`."""
    return os.open(path, flags, owner_only_mode(0o666))


def close_folder(folder: Path) -> None:
    """Remove other users' rights from a folder that this program made and from all its contents. `owner_only_mode` defines the rights."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & owner_only_mode(0o777))


@cache
def _umask() -> int:
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    except (OSError, ValueError, IndexError):
        pass
    found = os.umask(0o077)  # a system without /proc tells it only to who sets it
    os.umask(found)
    return found


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and its missing parents; each new folder gets this mode."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=mode, exist_ok=True)


@contextmanager
def atomic_write(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Write a file that appears whole or not at all. The new file is made beside the old one, so no link is written through."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


_STALE_S = 60


@contextmanager
def passing_folder(kind: str) -> Iterator[Path]:
    """Make a folder that is gone afterwards. What a killed process left of the kind goes first: nobody holds its lock."""
    for left in Path(gettempdir()).glob(f"drr-{kind}-*"):
        with suppress(OSError), _folder_lock(left):
            if time.time() - left.stat().st_mtime > _STALE_S and left.stat().st_uid == os.getuid():
                rmtree(left)
    with TemporaryDirectory(prefix=f"drr-{kind}-") as place, _folder_lock(Path(place)):
        yield Path(place)


@contextmanager
def _folder_lock(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def write_file(path: Path, text: str, mode: int = 0o666) -> None:
    with atomic_write(path, mode) as file:
        file.write(text.encode("utf-8"))


LONGEST = 256 << 20
"""Longest value in a database, in bytes."""
_STEPS = 100_000
"""Steps of SQLite's virtual machine between two checks of the time limit: some milliseconds."""
_STATISTICS = (
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
)
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


def restrict_database(db: sqlite3.Connection, until: Callable[[], float], own: tuple[str, ...]) -> None:
    """Restrict a database that may be hostile. Values have a length limit, statements end at `until`, and the schema may not call functions."""
    if _is_distrusted(own):
        db.execute("PRAGMA trusted_schema = OFF")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.set_progress_handler(lambda: time.monotonic() > until(), _STEPS)


def strange_statement(db: sqlite3.Connection, own: tuple[str, ...]) -> str | None:
    """Return a statement of the database's schema that none of the statements in `own` creates, or `None`."""
    known = _known_schema(own)
    return next((f"{row[0]} {row[1]}" for row in db.execute(_SCHEMA) if _plain_row(row) not in known), None)


@cache
def _is_distrusted(own: tuple[str, ...]) -> bool:
    """Tell whether this program's own statements work with an untrusted schema: SQLite 3.40 refuses `json_extract` in an index then."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        try:
            for statement in own:
                db.executescript(statement)
        except sqlite3.OperationalError:
            return False
    return True


@cache
def _known_schema(own: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in own:
            db.executescript(statement)
        statistics = (("table", sql[13:25], sql[13:25], sql) for sql in _STATISTICS)
        return frozenset(map(_plain_row, [*db.execute(_SCHEMA), *statistics]))


def _plain_row(row: Iterable[object]) -> tuple[str, ...]:
    return tuple(" ".join(str(part).split()) for part in row)

"""The file format of a bundle: a tar archive under xz with fixed names, order, times and modes. Equal contents give equal bytes.

A bundle that is read must have exactly the headers that this program writes, so that no name, size or link of a stranger is followed.
"""

from __future__ import annotations

import lzma
import os
from pathlib import Path
from shutil import copyfileobj, disk_usage
from tarfile import BLOCKSIZE, USTAR_FORMAT, TarInfo
from tempfile import TemporaryFile, gettempdir
from typing import IO

from drr.env.errors import DrrError, Misuse
from drr.env.files import atomic_write, owner_only_mode
from drr.env.small_files import LINE

MANIFEST, ROOT, SIGNATURES = "manifest.json", "root", "signatures.jsonl"
HASHED = (
    "study.json",
    "queries.jsonl",
    "beside.jsonl",
    "prompts.jsonl",
    "packages.json",
    "shoppers.jsonl",
    "units.jsonl",
    "texts.jsonl",
    "figures.json",
)
"""The files that the tree of hashes covers."""
NAMES = (MANIFEST, ROOT, SIGNATURES, *HASHED)
LARGEST = 4 << 30
"""Maximum number of bytes of all contents together."""
_RATIO, _FREE = 300, 64 << 20
"""The largest ratio of contents to file size, and the bytes that are allowed beyond it."""
_PIECE = 1 << 20
_LINES, _BYTES_A_LINE = 10_000, 4
"""The lines that any bundle may have, and the bytes of its file needed for each further line. This program's lines take a hundred and more."""
_END = bytes(2 * BLOCKSIZE)
_MEMORY = 256 << 20
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 32 << 20}]


def pack_archive(folder: Path, out: Path) -> int:
    """Write the files of a folder as a bundle, completely or not at all, and return the bundle's size."""
    try:
        with (
            atomic_write(out, owner_only_mode(0o666)) as raw,
            lzma.open(raw, "wb", format=lzma.FORMAT_XZ, filters=_FILTERS) as packed,
        ):
            for name in NAMES:
                size = (folder / name).stat().st_size
                packed.write(_header(name, size))
                with (folder / name).open("rb") as file:
                    copyfileobj(file, packed, _PIECE)
                packed.write(bytes(-size % BLOCKSIZE))
            packed.write(_END)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise Misuse(
            f"{out}: cannot be written ({error.strerror}); name a file in a folder that is there"
        ) from error
    return out.stat().st_size


def unpack_archive(file: Path, folder: Path) -> None:
    """Unpack a stranger's bundle into an empty folder. Anything that this program would not have written raises `DrrError`."""
    with TemporaryFile() as whole:
        try:
            _decompress(file, whole)
        except OSError as error:
            raise Misuse(f"{file}: cannot be read ({error.strerror}); name a bundle") from error
        except lzma.LZMAError as error:
            raise DrrError(f"{file}: is no bundle, or was changed ({error})") from error
        left, long = _LINES + file.stat().st_size // _BYTES_A_LINE, 0
        whole.seek(0)
        for name in NAMES:
            header = whole.read(BLOCKSIZE)
            size = _size(header)
            if size is None or header != _header(name, size):
                raise DrrError(f"{file}: is no bundle, or was changed (its {name} does not begin as ours do)")
            with (folder / name).open("xb") as out:
                for at in range(0, size, _PIECE):
                    piece = whole.read(min(_PIECE, size - at))
                    left, long = left - piece.count(b"\n"), 0 if b"\n" in piece else long + len(piece)
                    if left < 0 or long > LINE:
                        raise DrrError(
                            f"{file}: its {name} has more or longer lines than a bundle of its size"
                        )
                    out.write(piece)
                ended = out.tell() < size
            if ended or whole.read(-size % BLOCKSIZE) != bytes(-size % BLOCKSIZE):
                raise DrrError(f"{file}: was changed (its {name} does not end as ours do)")
        if whole.read(len(_END) + 1) != _END:
            raise DrrError(f"{file}: was changed (it does not end as ours do)")


def _header(name: str, size: int) -> bytes:
    info = TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(USTAR_FORMAT, "ascii")


def _size(header: bytes) -> int | None:
    digits = header[124:135]
    return int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else None


def _decompress(file: Path, whole: IO[bytes]) -> None:
    """Write the contents of a bundle's file, limited in memory, in size, and in ratio to the file's size."""
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as raw:
        packed = os.fstat(handle).st_size
        most = min(LARGEST, _FREE + _RATIO * packed, disk_usage(gettempdir()).free // 2)
        while not decoder.eof:
            content = raw.read(_PIECE) if decoder.needs_input else b""
            if decoder.needs_input and not content:
                raise DrrError(f"{file}: ends too early; fetch it again")
            whole.write(decoder.decompress(content, _PIECE))
            if whole.tell() > most:
                raise DrrError(f"{file}: unpacks to more than {most:,} bytes; no bundle does")
        if decoder.unused_data or raw.read(1):
            raise DrrError(f"{file}: was changed (something stands behind its end)")

"""Reads the rows of a catalogue's files in batches, each row with its line. No message repeats what a cell holds.

CSV is read by Python's `csv`: pyarrow tells no line of a row.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import shutil
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, TypeVar

from drr.data_ingest.catalogue.elements import find_rows, read_rows
from drr.data_ingest.catalogue.encodings import likely_encoding
from drr.data_ingest.products import BadLine, Repairs, parse_object, without_bom
from drr.env.errors import DrrError, Misuse
from drr.env.installation import check_installed
from drr.env.small_files import check_unpacked

BATCH = 20_000
LONGEST, LONGEST_CELL = 16 << 20, 1 << 20
"""Most characters of a line and of a cell."""
_WEIGHT = 64 << 20
"""Characters of a batch of rows; of Parquet's the bytes that their column chunks tell."""
_SAMPLE = 1000
_DEEPEST = 3
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_READ = 1 << 20
"""Bytes of a file by which its encoding is found."""


T = TypeVar("T")


class Batch(NamedTuple):
    """A batch of rows: the line of each, and the cells of each column or field. `bad` are rows that cannot be read."""

    lines: Sequence[int]
    cells: dict[str, Sequence[Any]]
    bad: Sequence[tuple[int, str]] = ()


class TableFile(ABC):
    """A file of rows with named columns."""

    endings: tuple[str, ...] = ()
    columns: list[str]
    open_ended = False
    """True if rows may have columns beside those of the first rows."""
    holds_text = False
    """True if a column's text has that of the columns within it."""

    def __init__(
        self, path: Path, encoding: str | None, separator: str | None, language: str | None = None
    ) -> None:
        self.path, self.encoding, self._separator, self.language = path, encoding, separator, language

    @abstractmethod
    def batches(self, wanted: Sequence[str]) -> Iterator[Batch]: ...

    def lacking(self, names: Sequence[str]) -> list[str]:
        """Return those of the names that no row has."""
        return [name for name in names if name not in self.columns]


class RowFile(TableFile):
    """A file that is read row by row."""

    @abstractmethod
    def records(self, wanted: Sequence[str]) -> Iterator[tuple[int, Sequence[Any] | str]]:
        """Yield each row's line and cells, or the reason why it cannot be read."""

    def batches(self, wanted: Sequence[str]) -> Iterator[Batch]:
        records = self.records(wanted)
        while part := list(_some(records, BATCH, _weight)):
            bad = [(line, why) for line, why in part if isinstance(why, str)]
            good = [one for one in part if not isinstance(one[1], str)] if bad else part
            cells: dict[str, Any] = {name: [row[k] for _, row in good] for k, name in enumerate(wanted)}
            yield Batch([line for line, _ in good], cells, bad)


def _some(given: Iterator[T], most: int, weigh: Callable[[T], int]) -> Iterator[T]:
    """Yield the next of what is given: so many, fewer where they are heavy."""
    weight = 0
    for one in islice(given, most):
        yield one
        weight += weigh(one)
        if weight > _WEIGHT:
            return


def _weight(record: tuple[int, Sequence[Any] | str]) -> int:
    try:
        return len("".join(record[1]))
    except TypeError:  # of cells that are no texts
        return len(str(record[1]))


class _Unpacking(io.RawIOBase):
    """A stream of what a packed file holds, up to the limits."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file, self._stream, self._got = path, file, gzip.GzipFile(fileobj=file), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got = self._stream.readinto(buffer)
        self._got += got
        check_unpacked(self._path, self._got, self._file.tell())
        return got


@contextmanager
def open_unpacked(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, which may be packed by gzip. Raises `DrrError` also for what cannot be read later."""
    try:
        with path.open("rb") as file:
            packed = file.peek(2)[:2] == b"\x1f\x8b"
            yield io.BufferedReader(_Unpacking(path, file), 1 << 17) if packed else file
    except (EOFError, OSError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise DrrError(f"{path}: cannot be read ({reason}); get the file again") from None


class DelimitedFile(RowFile):
    """A CSV or TSV file. Its encoding and separator are found, or a sentence asks for them."""

    endings = (".csv", ".tsv", ".txt", ".tab")

    def __init__(
        self, path: Path, encoding: str | None, separator: str | None, language: str | None = None
    ) -> None:
        try:
            io.TextIOWrapper(io.BytesIO(), encoding or "utf-8")
        except (ValueError, LookupError):
            raise Misuse(
                f"{path}: {encoding!r} is no encoding that is known; {say_encoding('utf-8')}"
            ) from None
        with open_unpacked(path) as file:
            start = file.read(4)
        marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
        super().__init__(path, marked or encoding or "utf-8", separator, language)
        csv.field_size_limit(LONGEST_CELL)
        sample = list(_some(self._lines(), _SAMPLE, len))
        if not sample:
            raise DrrError(f"{path}: is empty")
        self._separator = separator or self._found(sample)
        self.columns = [name.strip() for name in next(self._rows(sample, self._separator), (1, []))[1]]

    def _lines(self) -> Iterator[str]:
        number = 0
        try:
            with open_unpacked(self.path) as raw, io.TextIOWrapper(raw, self.encoding, newline="") as text:
                for number, line in enumerate(iter(partial(text.readline, LONGEST), ""), 1):
                    if len(line) == LONGEST:
                        raise DrrError(f"{self.path}: line {number} has over {LONGEST:,} characters; mend it")
                    if "\0" in line:
                        raise DrrError(
                            f"{self.path}: line {number} holds a zero byte; {say_encoding('utf-16')}"
                        )
                    yield line
        except ValueError:
            raise DrrError(
                f"{self.path}: line {number + 1} or later is not in the encoding {self.encoding!r}; {say_encoding(self._likely())}"
            ) from None

    def _likely(self) -> str:
        """Return the encoding by which the file's first lines are read, the usual one where none reads them."""
        with open_unpacked(self.path) as file:
            data = file.read(_READ)
        return likely_encoding(data[: data.rfind(b"\n") + 1] or data, self.language) or "cp1252"

    def _rows(self, lines: Iterable[str], separator: str | None) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its first line."""
        reader, before = csv.reader(lines, delimiter=separator or ","), 0
        try:
            for row in reader:
                if row:
                    yield before + 1, row
                before = reader.line_num
        except csv.Error:
            raise DrrError(f"{self.path}: line {before + 1} has over 1 MB: a quote left open?") from None

    def _found(self, sample: list[str]) -> str:
        """Return the separator that alone parts the header. Where several do, most rows agree, or it gives the most columns."""
        widths = {one: [len(row) for _, row in self._rows(sample, one)] for one in ",;\t|"}
        likely = [one for one, some in widths.items() if some and some[0] > 1]
        if len(likely) > 1:
            likely = [
                one for one in likely if widths[one].count(widths[one][0]) >= 0.9 * len(widths[one])
            ] or [one for one in likely if widths[one][0] == max(widths[each][0] for each in likely)]
        if len(likely) == 1:
            return likely[0]
        doubt = "could be " + " or ".join(map(repr, likely)) if likely else "is not found"
        raise DrrError(
            f'{self.path}: the separator {doubt}; say it in the first line of the mapping: separator = ";"'
        )

    def records(self, wanted: Sequence[str]) -> Iterator[tuple[int, Sequence[Any] | str]]:
        """Yield the rows below the header. Empty cells at a row's end do not count."""
        at, width = [self.columns.index(name) for name in wanted], len(self.columns)
        for line, row in islice(self._rows(self._lines(), self._separator), 1, None):
            fits = len(row) == width or (len(row) > width and not any(row[width:]))
            yield line, [row[k] for k in at] if fits else "wrong_number_of_cells"


class ObjectFile(RowFile):
    """A file of JSON objects, one a line. A column is a path such as `offers.price`."""

    endings = (".jsonl", ".ndjson", ".json")
    open_ended = True

    def __init__(self, path: Path, *_: object) -> None:
        super().__init__(path, None, None)
        objects = (dict(_flat(one)) for _, one in islice(self._objects(), _SAMPLE) if isinstance(one, dict))
        self.columns = list(dict.fromkeys(name for one in objects for name in one))

    def _objects(self) -> Iterator[tuple[int, Any]]:
        with open_unpacked(self.path) as file:
            for number, line in enumerate(iter(partial(file.readline, LONGEST), b""), 1):
                if len(line) == LONGEST:
                    raise DrrError(f"{self.path}: line {number} has over {LONGEST:,} bytes; mend it")
                if line.strip():
                    try:
                        yield number, parse_object(without_bom(line), Repairs())
                    except BadLine as error:
                        yield number, error.reason

    def lacking(self, names: Sequence[str]) -> list[str]:
        left = {*super().lacking(names)}
        for _, one in self._objects() if left else ():
            if not left:
                break
            left -= dict(_flat(one, deepest=_depth(left))).keys() if isinstance(one, dict) else set()
        return [name for name in names if name in left]

    def records(self, wanted: Sequence[str]) -> Iterator[tuple[int, Sequence[Any] | str]]:
        deepest = _depth(wanted)
        for line, one in self._objects():
            flat = dict(_flat(one, deepest=deepest)) if isinstance(one, dict) else {}
            yield line, [flat.get(name) for name in wanted] if isinstance(one, dict) else one


def _depth(names: Iterable[str]) -> int:
    return max((name.count(".") + 1 for name in names), default=1)


def _flat(
    one: Mapping[str, Any], before: str = "", depth: int = 1, deepest: int = _DEEPEST
) -> Iterator[tuple[str, Any]]:
    """Yield the values of an object by their paths; of a list the first object is taken."""
    for name, value in one.items():
        yield before + name, value
        objects = value if isinstance(value, list) else [value]
        inner = next((part for part in objects if isinstance(part, dict)), None)
        if inner and depth < deepest:
            yield from _flat(inner, f"{before}{name}.", depth + 1, deepest)


class XmlFile(ObjectFile):
    """A file of elements, such as a feed. A column is a path such as `price`, `price.gross` or `price@currency`."""

    endings = (".xml", ".rss", ".atom")
    holds_text = True

    def __init__(self, path: Path, *_: object) -> None:
        with open_unpacked(path) as file:
            self._rows = find_rows(path, _pieces(file), LONGEST)
        super().__init__(path)

    def _objects(self) -> Iterator[tuple[int, Any]]:
        with open_unpacked(self.path) as file:
            yield from read_rows(self.path, _pieces(file), self._rows, LONGEST)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(file.read, 1 << 16), b"")


class ParquetFile(TableFile):
    """A Parquet file. Its lines are the numbers of its rows; times come as milliseconds in a numpy array."""

    endings = (".parquet",)

    def __init__(self, path: Path, *_: object) -> None:
        check_installed("pyarrow")
        import pyarrow as pa
        import pyarrow.parquet as pq

        super().__init__(path, None, None)
        source: Any = str(path)
        with open_unpacked(path) as file:
            if isinstance(file.raw, _Unpacking):
                source = TemporaryFile()  # noqa: SIM115 - its reader closes it
                shutil.copyfileobj(file, source)
        try:
            leaves = pq.read_metadata(source).schema
            paths = [leaves.column(k).path for k in range(len(leaves))]
            self._file = pq.ParquetFile(source, read_dictionary=paths)
        except (OSError, pa.ArrowException) as error:
            raise DrrError(f"{path}: is no Parquet file ({type(error).__name__})") from None
        self.columns = list(self._file.schema_arrow.names)
        self._told = 0
        """Bytes of the texts that were read, in every row that has them."""

    def batches(self, wanted: Sequence[str]) -> Iterator[Batch]:
        import pyarrow as pa

        first, columns, self._told = 1, list(wanted), 0
        try:
            for number in range(self._file.num_row_groups):
                rows = self._rows_at_once(number, columns)
                for batch in self._file.iter_batches(rows, [number], columns):
                    lines = range(first, first + batch.num_rows)
                    yield Batch(lines, {name: self._values(batch.column(name), first) for name in wanted})
                    first = lines.stop
        except (OSError, pa.ArrowException):
            raise DrrError(f"{self.path}: is damaged past row {first:,}; write it again") from None

    def _rows_at_once(self, number: int, wanted: Sequence[str]) -> int:
        """Return how many rows of a group are read at once, after a look at what its columns unpack to."""
        group = self._file.metadata.row_group(number)
        chunks = [group.column(k) for k in range(group.num_columns)]
        chunks = [one for one in chunks if one.path_in_schema.partition(".")[0] in wanted]
        size = sum(one.total_uncompressed_size for one in chunks)
        check_unpacked(self.path, size, sum(one.total_compressed_size for one in chunks))
        at_once: int = _WEIGHT * group.num_rows // max(1, size)
        return max(1, min(BATCH, at_once))

    def _values(self, array: Any, first: int) -> Any:
        import pyarrow as pa

        if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
            moments = array.cast(pa.timestamp("ms", getattr(array.type, "tz", None)), safe=False)
            return moments.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        self._check_cells(array, first)
        if not pa.types.is_dictionary(array.type):
            return array.to_pylist()
        used = array.indices.unique().drop_null()  # a text that a thousand rows have is kept once
        texts = dict(zip(used.to_pylist(), array.dictionary.take(used).to_pylist(), strict=True))
        return [texts.get(place) for place in array.indices.to_pylist()]

    def _check_cells(self, array: Any, first: int) -> None:
        """Raise `DrrError` for a cell that is longer than a cell of a CSV may be."""
        import pyarrow as pa
        from pyarrow import compute

        depth = array
        while pa.types.is_list(depth.type) or pa.types.is_large_list(depth.type):
            depth = depth.flatten()
        if pa.types.is_nested(depth.type):
            raise DrrError(f"{self.path}: a column of objects; give it as columns of its own")
        texts = depth.dictionary if pa.types.is_dictionary(depth.type) else depth
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            return
        lengths = compute.binary_length(texts)
        longest = compute.max(lengths).as_py() or 0
        each = lengths.take(depth.indices) if texts is not depth else lengths
        self._told += compute.sum(each).as_py() or 0
        heavy = depth is not array and longest * len(depth) > _WEIGHT
        if longest > LONGEST_CELL or heavy:
            raise DrrError(
                f"{self.path}: a cell past row {first:,} has over {LONGEST_CELL:,} bytes; shorten it"
            )
        check_unpacked(self.path, self._told, self.path.stat().st_size)


def say_encoding(name: str) -> str:
    return f'say the encoding in the first line of the mapping: encoding = "{name}"'


def open_table(
    path: Path, encoding: str | None = None, separator: str | None = None, language: str | None = None
) -> TableFile:
    """Open a file by its name's ending; `language` helps to find an encoding. Raises `Misuse` for a missing file and for another ending."""
    if not path.is_file():
        raise Misuse(f"{path}: there is no such file")
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    kinds: list[type[TableFile]] = [DelimitedFile, ObjectFile, XmlFile, ParquetFile]
    for kind in kinds:
        if ending.lower() in kind.endings:
            return kind(path, encoding, separator, language)
    known = ", ".join(one for kind in kinds for one in kind.endings)
    raise Misuse(f"{path}: ends in none of {known}, nor these with .gz; save a spreadsheet as CSV")

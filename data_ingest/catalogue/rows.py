"""Reads the rows of a catalogue's files in batches, each row with its line. No message repeats what a cell holds.

CSV is read by Python's `csv` and not by pyarrow, which tells no line of a row and repeats cells in its errors.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Protocol
from xml.parsers import expat

import orjson
from drr.data_ingest.products import BadLine, Repairs, may_need_repair, parse_object, without_bom
from drr.env.errors import DrrError, Misuse

BATCH = 20_000
LONGEST = 16 << 20
"""Most characters of a line."""
LONGEST_CELL = 1 << 20
_SAMPLE = 1000
_DEEPEST = 3
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SEPARATORS = (",", ";", "\t", "|")
FORMATS = ".csv, .tsv, .txt, .jsonl, .parquet or .xml, each also with .gz"


class RowBatch(NamedTuple):
    """A batch of rows: the wanted columns, the line of each row, and the rows that cannot be read."""

    lines: Sequence[int]
    columns: Mapping[str, Sequence[Any]]
    bad: Sequence[tuple[int, str]] = ()


class TableFile(Protocol):
    """A file of rows with named columns."""

    path: Path
    columns: list[str]

    def rows(self, wanted: Sequence[str]) -> Iterator[RowBatch]: ...


def open_table(path: Path, encoding: str | None = None, separator: str | None = None) -> TableFile:
    """Open a file by its name's ending. Raises `Misuse` for a missing file and for another ending."""
    if not path.is_file():
        raise Misuse(f"{path}: there is no such file")
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    match ending.lower():
        case ".csv" | ".tsv" | ".txt" | ".tab":
            return DelimitedFile(path, encoding, separator)
        case ".jsonl" | ".ndjson" | ".json":
            return ObjectFile(path)
        case ".xml" | ".rss" | ".atom":
            return XmlFile(path)
        case ".parquet":
            return ParquetFile(path)
    raise Misuse(f"{path}: the name must end in {FORMATS}; a spreadsheet can save its table as CSV")


def unpacked(path: Path) -> IO[bytes]:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if packed else path.open("rb")  # type: ignore[return-value]
    except OSError as error:
        raise DrrError(f"{path}: cannot be read ({error.strerror}); check the file") from error


class DelimitedFile:
    """A CSV or TSV file. Its encoding and separator are found, or a sentence asks for them."""

    def __init__(self, path: Path, encoding: str | None, separator: str | None) -> None:
        self.path = path
        with unpacked(path) as file:
            start = file.read(4)
        found = next((name for mark, name in _MARKS.items() if start.startswith(mark)), "utf-8")
        self._encoding = encoding or found
        csv.field_size_limit(LONGEST_CELL)
        with closing(self._lines()) as lines:
            sample = list(islice(lines, _SAMPLE))
        if not sample:
            raise DrrError(f"{path}: is empty")
        self._separator = separator or self._separator_of(sample)
        self.columns = [name.strip() for name in next(self._records(sample), [])]

    def _lines(self) -> Generator[str]:
        number = 0
        try:
            with unpacked(self.path) as raw, io.TextIOWrapper(raw, self._encoding, newline="") as text:
                while line := text.readline(LONGEST + 1):
                    number += 1
                    if len(line) > LONGEST:
                        raise DrrError(f"{self.path}: line {number} has over {LONGEST:,} characters; mend it")
                    if "\0" in line:
                        raise DrrError(f"{self.path}: line {number} holds a zero byte; {_SAY_ENCODING}")
                    yield line
        except (UnicodeError, LookupError):
            raise DrrError(
                f"{self.path}: is not {self._encoding.removesuffix('-sig')} (line {number + 1} or soon after); {_SAY_ENCODING}"
            ) from None
        except (EOFError, gzip.BadGzipFile, OSError):
            raise DrrError(f"{self.path}: cannot be read past line {number}; get the file again") from None

    def _separator_of(self, sample: list[str]) -> str:
        likely = []
        for one in _SEPARATORS:
            widths = [len(row) for row in csv.reader(sample, delimiter=one) if row]
            if widths and widths[0] > 1 and widths.count(widths[0]) >= 0.9 * len(widths):
                likely.append(one)
        if len(likely) == 1:
            return likely[0]
        doubt = "could be " + " or ".join(map(repr, likely)) if likely else "is not found"
        raise DrrError(f'{self.path}: the separator {doubt}; say it in the mapping: separator = ";"')

    def _records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        return csv.reader(lines, delimiter=self._separator)

    def rows(self, wanted: Sequence[str]) -> Iterator[RowBatch]:
        at = [self.columns.index(name) for name in wanted]
        with closing(self._lines()) as lines:
            placed = self._placed(lines)
            next(placed, None)
            while batch := list(islice(placed, BATCH)):
                good = [(line, row) for line, row in batch if row]
                yield RowBatch(
                    [line for line, _ in good],
                    {name: [row[k] for _, row in good] for name, k in zip(wanted, at, strict=True)},
                    [(line, "wrong_number_of_cells") for line, row in batch if not row],
                )

    def _placed(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield each row with its first line; a row without the header's number of cells is empty. Empty cells at its end do not count."""
        reader = csv.reader(lines, delimiter=self._separator)
        width, before = len(self.columns), 0
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                raise DrrError(
                    f"{self.path}: the row that begins in line {before + 1} has a cell of over {LONGEST_CELL:,} "
                    "characters; is a quote left open there?"
                ) from None
            line, before = before + 1, reader.line_num
            if row:
                yield line, row if len(row) == width or (len(row) > width and not any(row[width:])) else []


_SAY_ENCODING = 'say the encoding in the mapping: encoding = "cp1252"'


class ObjectFile:
    """A file of JSON objects, one a line. A column is a path such as `offers.price`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        found: dict[str, None] = {}
        with closing(self._objects()) as objects:
            for _, one in islice(objects, _SAMPLE):
                if isinstance(one, dict):
                    found |= dict.fromkeys(_paths(one))
        self.columns = list(found)

    def _objects(self) -> Generator[tuple[int, Any]]:
        """Yield each row's line and object, or the reason why it cannot be read."""
        number = 0
        with unpacked(self.path) as file:
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise DrrError(f"{self.path}: line {number} has over {LONGEST:,} bytes; mend it")
                if line.strip():
                    yield number, _object(line if number > 1 else without_bom(line))

    def rows(self, wanted: Sequence[str]) -> Iterator[RowBatch]:
        steps = {name: name.split(".") for name in wanted}
        with closing(self._objects()) as objects:
            while batch := list(islice(objects, BATCH)):
                good = [(line, one) for line, one in batch if isinstance(one, dict)]
                yield RowBatch(
                    [line for line, _ in good],
                    {name: [_reached(one, path) for _, one in good] for name, path in steps.items()},
                    [(line, str(one)) for line, one in batch if not isinstance(one, dict)],
                )


def _object(line: bytes) -> Any:
    try:
        if not may_need_repair(line):
            one = orjson.loads(line)
            return one if isinstance(one, dict) else "not_an_object"
    except ValueError:
        pass
    try:
        return parse_object(line, Repairs())
    except BadLine as error:
        return error.reason


def _paths(one: Mapping[str, Any], before: str = "", depth: int = 1) -> Iterator[str]:
    for name, value in one.items():
        yield before + name
        inner = (
            next((part for part in value if isinstance(part, dict)), None)
            if isinstance(value, list)
            else value
        )
        if isinstance(inner, dict) and depth < _DEEPEST:
            yield from _paths(inner, f"{before}{name}.", depth + 1)


def _reached(value: Any, steps: Sequence[str]) -> Any:
    """Return the value at a path; of a list the first object is taken."""
    for step in steps:
        if isinstance(value, list):
            value = next((part for part in value if isinstance(part, dict)), None)
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


class XmlFile(ObjectFile):
    """A feed of `item` or `entry` elements (RSS, Atom). A document type, and so any entity of its own, is refused."""

    def _objects(self) -> Generator[tuple[int, Any]]:
        feed = _Feed(self.path)
        try:
            with unpacked(self.path) as file:
                while chunk := file.read(1 << 16):
                    feed.add(chunk)
                    yield from feed.taken()
                feed.parser.Parse(b"", True)
                yield from feed.taken()
        except expat.ExpatError as error:
            raise DrrError(f"{self.path}: is not well-formed XML (line {error.lineno}); mend it") from None


class _Feed:
    """The items of a feed that is being parsed. An item's values are the texts of its child elements."""

    def __init__(self, path: Path) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._text
        self._path = path
        self._done: list[tuple[int, Any]] = []
        self._item: dict[str, Any] | None = None
        self._line = self._depth = self._fed = self._room = 0
        self._texts: list[str] = []

    def add(self, chunk: bytes) -> None:
        self.parser.Parse(chunk)
        self._fed += len(chunk)
        if self._fed - self.parser.CurrentByteIndex > LONGEST:
            self._too_long()

    def taken(self) -> list[tuple[int, Any]]:
        done, self._done = self._done, []
        return done

    def _too_long(self) -> None:
        line = self.parser.CurrentLineNumber
        raise DrrError(f"{self._path}: an item near line {line} has over {LONGEST:,} characters; mend it")

    def _refuse(self, *_: object) -> None:
        raise DrrError(f"{self._path}: declares a document type (DOCTYPE), which no feed needs; take it out")

    def _start(self, name: str, _: object) -> None:
        if self._item is not None:
            self._depth += 1
        elif name.rpartition(" ")[2] in ("item", "entry"):
            self._item, self._line, self._depth = {}, self.parser.CurrentLineNumber, 0
            self._room = LONGEST
        if self._depth == 1:
            self._texts = []

    def _end(self, name: str) -> None:
        if self._item is None:
            return
        if self._depth == 0:
            self._done.append((self._line, self._item))
            self._item = None
        elif self._depth == 1:
            local, text = name.rpartition(" ")[2], "".join(self._texts).strip()
            before = self._item.get(local)
            more = before if isinstance(before, list) else [before]
            self._item[local] = text if before is None else [*more, text]
        self._depth -= 1

    def _text(self, text: str) -> None:
        if self._item is not None:
            self._room -= len(text)
            if self._room < 0:
                self._too_long()
            if self._depth == 1:
                self._texts.append(text)


class ParquetFile:
    """A Parquet file. Its lines are the numbers of its rows; times come as milliseconds in a numpy array."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = path
        try:
            self.columns = list(pq.read_schema(self._open()).names)
        except (OSError, pa.ArrowException) as error:
            raise DrrError(f"{path}: is no Parquet file ({type(error).__name__})") from None

    def _open(self) -> Any:
        with unpacked(self.path) as file:
            if not isinstance(file, gzip.GzipFile):
                return str(self.path)
            with ExitStack() as stack:
                aside = stack.enter_context(TemporaryFile())
                shutil.copyfileobj(file, aside)
                stack.pop_all()
                return aside

    def rows(self, wanted: Sequence[str]) -> Iterator[RowBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        first = 1
        try:
            with pq.ParquetFile(self._open()) as file:
                for batch in file.iter_batches(BATCH, columns=list(wanted)):
                    columns = {name: _values(batch.column(name)) for name in wanted}
                    yield RowBatch(range(first, first + batch.num_rows), columns)
                    first += batch.num_rows
        except pa.ArrowException:
            raise DrrError(f"{self.path}: is damaged past row {first:,}; write it again") from None


def _values(array: Any) -> Sequence[Any]:
    import pyarrow as pa

    if pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
        moments = array.cast(pa.timestamp("ms", getattr(array.type, "tz", None)), safe=False)
        found: Sequence[Any] = moments.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        return found
    values: Sequence[Any] = array.to_pylist()
    return values

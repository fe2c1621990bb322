"""The cost of each file that was made to break a reader. It is the seconds until it is answered, and the most
memory of the reading process."""

from __future__ import annotations

import re
import time
from pathlib import Path

from drr.env.drawer.form import FileProblem, checked
from drr.env.drawer.process import FileReader
from drr.env.drawer.worker import CPU_SECONDS, MEMORY

from benchmarks.results import machine, record, table
from tests.drawer.hostile import HOSTILE

WHY = """Every file is read in a process of its own here (one process reads many otherwise); its start and the import of the library that reads it
are in the seconds. Every file is read in such a process: one (`comment.html`) keeps its reader busy until it is ended, which no thread can be, two
take some 180 MiB until their reader stops them, and a bound on memory inside this process would be the whole study's."""


def main() -> None:
    rows = []
    for name, (made, _) in HOSTILE.items():
        data, reader = made(), FileReader()
        started = time.perf_counter()
        try:
            answered = "read" if reader.read(name, checked(name, data), data) else ""
        except FileProblem as problem:
            answered = problem.kind
        seconds = time.perf_counter() - started
        rows.append((seconds, name, len(data), answered, _peak(reader)))
        reader.close()
    rows.sort(reverse=True)
    told = [
        (name, f"{size:,}", answered, f"{seconds:.2f}", peak or "-")
        for seconds, name, size, answered, peak in rows[:15]
    ]
    most = max(peak for *_, peak in rows if peak is not None)
    bounds = f"{len(rows)} files; the longest took {rows[0][0]:.1f} s (limit {CPU_SECONDS} s of processor time), the most memory was {most} MiB (limit {MEMORY >> 20})."
    head = ("file", "bytes", "answered", "seconds", "peak MiB")
    record("Hostile files", f"{machine()}. {bounds} The slowest:\n\n{table(head, told)}\n\n{WHY}")


def _peak(reader: FileReader) -> int | None:
    """`None` where no process was needed, or it is gone."""
    if reader._running is None:
        return None
    try:
        status = Path(f"/proc/{reader._running.pid}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmHWM:\s+(\d+)", status)
    return int(found[1]) >> 10 if found else None


if __name__ == "__main__":
    main()

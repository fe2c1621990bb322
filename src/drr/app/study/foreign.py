"""Exports a study's reports into the file formats of other benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from drr.app.terminal import plain
from drr.env.errors import Misuse
from drr.env.files import file_name, make_folder, owner_only_mode, write_file

if TYPE_CHECKING:
    from drr.eval.foreign.form import Format
    from drr.study.study import Study


class LeftOut(TypedDict):
    what: str
    reports: int


class ForeignExported(TypedDict):
    """The document of `drr study export --format --json`."""

    schema: int
    out: str
    format: str
    files: list[str]
    systems: dict[str, str]
    """Name of each system by its file name, where the two differ."""
    reports: int
    scores: int
    """Number of imported scores that were written."""
    left_out: list[LeftOut]
    """Parts that the file format cannot hold, each with the number of reports or scores concerned."""
    lost: list[str]


def format_named(name: str) -> Format:
    from drr.eval.foreign.registry import formats

    known = formats()
    if name not in known:
        raise Misuse(f"--format {name}: there are {', '.join(known)}")
    return known[name]


def export_foreign(study: Study, out: Path, name: str) -> ForeignExported:
    """Export the study's reports into a new folder, in another benchmark's format; return a document of the files written."""
    from drr.eval.foreign.taking import reports_to_write

    form = format_named(name)
    if out.exists() and any(out.iterdir()):
        raise Misuse(f"{out}: not empty; name a new folder")
    going = reports_to_write(study, form)
    if not going.reports:
        raise Misuse(f"{study.folder}: no answer has finished yet; nothing is written")
    files = list(form.write(going.reports))
    for judge, scores in going.scores.items():
        above = f"judge-{file_name(judge)}/" if len(going.scores) > 1 else ""
        files += [one._replace(path=f"{above}{one.path}") for one in form.write_scores(scores)]
    names = [(file_name(system), system) for system in sorted({one.system for one in going.reports})]
    for path, text in files:
        make_folder((out / path).parent, owner_only_mode(0o777))
        write_file(out / path, text, owner_only_mode(0o666))
    return {
        "schema": 1,
        "out": str(out),
        "format": form.name,
        "files": [path for path, _ in files],
        "systems": {name: system for name, system in names if name != system},
        "reports": len(going.reports),
        "scores": sum(map(len, going.scores.values())),
        "left_out": [{"what": what, "reports": count} for what, count in going.left_out.items()],
        "lost": sorted(loss.label for loss in study.losses.values()),
    }


def exported_lines(document: ForeignExported) -> list[str]:
    scores = f" and {document['scores']:,} imported scores" if document["scores"] else ""
    files = f"{document['reports']:,} reports{scores} in {len(document['files']):,} files"
    return [
        f"{document['out']}: {files}",
        *(f"{name} is {plain(system)}" for name, system in document["systems"].items()),
        *(f"no room for {one['what']}: {one['reports']:,} have some" for one in document["left_out"]),
    ]

"""The command `drr shop make`: a fresh shop with its people, its web and its questions, all from one seed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_search_options, print_result, progress_of, settings_of
from drr.env.errors import DrrError, Misuse
from drr.env.progress import Progress
from drr.env.settings import Settings

if TYPE_CHECKING:
    from drr.app.study.fresh_shops import MadeShop

_EXAMPLES = """\
examples:
  drr shop make --seed 41 --out monday
  drr shop make --seed 41 --size paper --out big
  drr shop make --seed 42 --axes hard.toml --out hard
  drr shop make --of retail-v3/open-1 --out open-1

then:
  drr run study --shop monday/shop --queries monday/queries.jsonl"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Make a shop that nobody can know beforehand: names, makers, values, prices and web pages are drawn from the seed. "
        "The same seed, size and axes give the same shop."
    )
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    whence = parser.add_mutually_exclusive_group(required=True)
    whence.add_argument("--seed", type=int, metavar="S", help="everything is drawn from it")
    whence.add_argument(
        "--of", metavar="SET/PART", help="the shop of an open part of a frozen set, which tells seed and axes"
    )
    add(
        "--size",
        choices=("small", "paper"),
        default="small",
        help="1,116 products and 10,000 users (default), or 80,000 and 1.8 million",
    )
    add(
        "--axes", type=Path, metavar="FILE", help="a TOML file of sizes and shares in place of the size's own"
    )
    add(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="a new folder for shop/, web/, queries.jsonl, made.json",
    )
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress, no summary")
    add_search_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.study.fresh_shops import make_shop
    from drr.data_ingest.fresh import SIZES, read_axes

    settings, progress = settings_of(arguments).settings, progress_of(arguments)
    elsewhere: list[str] = []
    if arguments.of:
        if arguments.axes:
            raise Misuse("--axes: the set tells its own; leave --axes out, or name a --seed in place of --of")
        made, elsewhere = _make_part(arguments.of, arguments.out, settings, progress)
    else:
        if not 0 <= arguments.seed < 2**63:  # the seeds that a manifest can hold
            raise Misuse(f"--seed {arguments.seed}: must lie between 0 and {2**63 - 1}")
        axes = read_axes(arguments.axes, arguments.size) if arguments.axes else SIZES[arguments.size]
        made = make_shop(arguments.seed, axes, arguments.out, settings, progress)
    counts = ", ".join(f"{count:,} {name}" for name, count in made["counts"].items()) + " from templates"
    if arguments.json or not arguments.quiet:
        print_result(
            arguments,
            made,
            f"{arguments.out}: {counts}",
            *elsewhere,
            f"next: drr shop info {arguments.out}/shop",
        )
    return 0 if made["counts"]["questions"] == made["axes"]["questions"] else 1


def _make_part(
    named: str, folder: Path, settings: Settings, progress: Progress
) -> tuple[MadeShop, list[str]]:
    """Make the shop of an open part, named `SET/PART`, from the seed that the set tells. Raise `DrrError` if another shop comes of it.

    Return its facts, and a line on where its questions are if no seed makes them.
    """
    from drr.app.study.fresh_shops import make_shop
    from drr.app.study.frozen_sets import SET, place_of_set, read_set
    from drr.querygen.builtin import FILE
    from drr.study.config import GIVEN_UP

    place, _, name = named.rpartition("/")
    if not place or not (place in GIVEN_UP or place_of_set(Path(place)).exists()):
        own = ", ".join(sorted(one.parent.name for one in FILE.parent.glob(f"*/{SET}")))
        raise Misuse(
            f"--of {named}: there is no set {place or named!r}; write SET/PART, of a folder or of a set of ours ({own})"
        )
    frozen = read_set(place_of_set(Path(place)))
    part = next((one for one in frozen.parts if one.name == name), None)
    if part is None or part.made is None:
        known = ", ".join(one.name for one in frozen.parts if one.made is not None) or "none"
        raise Misuse(f"{named}: {frozen.name} tells the seed of these parts: {known}")
    made = make_shop(part.made.seed, part.made.axes, folder, settings, progress)
    if (made["shop"], made["web"]) != (part.shop, part.web):
        raise DrrError(f"{folder}: is not the shop of {named}; this version draws it in another way")
    if made["questions"] == part.questions:
        return made, []
    asks = f"`drr run STUDY --set {place} --shop {folder / 'shop'}` asks them"
    is_ours = place_of_set(Path(place)) != Path(place)
    truth = ". Their truth lies in benchmarks/worded of the source" if is_ours else ""
    return made, [
        f"its questions: {part.count}, which a model worded, so that no seed makes them; {asks}{truth}"
    ]

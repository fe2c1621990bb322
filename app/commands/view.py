"""`drr view`: reports beside their evidence, served on loopback or written as files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.app.viewer.reader import Reader


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "examples:\n  drr view study\n  drr view study --static pages   # a folder to open from disk or to mail"
    parser.add_argument("study", type=Path, metavar="STUDY")
    parser.add_argument("--port", type=int, default=0, help="loopback port (default: any free one)")
    parser.add_argument("--static", type=Path, metavar="DIR", help="write files instead of serving")
    parser.add_argument("--judge", help="whose judgements (default: the last by a model, else by rules)")
    parser.add_argument("--shop", help="where the study's shop lies now, if not where it was")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.profiles import shop_of
    from drr.app.studies import despite_losses, say_losses
    from drr.app.viewer.reader import Reader
    from drr.app.vouching import offer_shop
    from drr.env.errors import Misuse
    from drr.study.study import Study

    with Study.open(arguments.study) as study:
        offer_shop(study.folder, study.config.get("run", {}).get("shop"), arguments.shop)
        if arguments.shop and shop_of(study, arguments.shop) is None:
            raise Misuse(
                f"{arguments.shop}: no shop that can be opened; `drr shop info {arguments.shop}` says why"
            )
        reader = Reader(study, judge=arguments.judge, shop=arguments.shop)
        reader.judging()  # an unknown judge is said here, not page by page
        if arguments.static is not None:
            despite_losses(study, lambda: _write(reader, arguments))
        else:
            say_losses(study)
            _serve(reader, arguments.port)
    return 0


def _write(reader: Reader, arguments: argparse.Namespace) -> None:
    from drr.app.console import progress_of
    from drr.app.viewer.static import write_static

    count = write_static(reader, arguments.static, progress_of(arguments))
    print(f"{count} pages: open {arguments.static / 'index.html'}")


def _serve(reader: Reader, port: int) -> None:
    from drr.app.pages.serve import bind, new_token, run
    from drr.app.viewer.site import site

    listener, token = bind(port), new_token()
    reader.entries()  # the first page then has little left to read
    port = listener.getsockname()[1]
    print(f"http://127.0.0.1:{port}/?token={token}\nCtrl-C stops.", flush=True)
    run(site(reader, token, port), listener)

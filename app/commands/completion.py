"""`drr completion`: prints a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse

_SHELLS = ("bash", "zsh", "fish")


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
Put one of these lines where your shell begins (~/.bashrc, ~/.zshrc after compinit, ~/.config/fish/config.fish):
  source <(drr completion bash)
  source <(drr completion zsh)
  source (drr completion fish | psub)

examples:
  drr completion bash"""
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.completion import SHELLS, spots

    print(SHELLS[arguments.shell](spots()), end="")
    return 0

"""`drr env completion`: prints a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse

_SHELLS = ("bash", "zsh", "fish")


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = """\
Put one of these lines where your shell begins (~/.bashrc, ~/.zshrc after compinit, ~/.config/fish/config.fish):
  source <(drr env completion bash)
  source <(drr env completion zsh)
  source (drr env completion fish | psub)

examples:
  drr env completion bash"""
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.completion import SHELLS, spots

    print(SHELLS[arguments.shell](spots()), end="")
    return 0

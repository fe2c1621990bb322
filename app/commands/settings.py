"""`drr env settings`: each value and where it came from; secrets are masked."""

from __future__ import annotations

import argparse


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    parser.epilog = "examples:\n  drr env settings\n  DRR_MODEL=offline drr env settings --json"
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json, settings_of
    from drr.app.terminal import flowing
    from drr.env.settings import Settings

    resolved = settings_of(arguments)
    values = {name: _shown(getattr(resolved.settings, name)) for name in Settings.model_fields}
    if arguments.json:
        print_json(
            {name: {"value": value, "origin": resolved.origin[name]} for name, value in values.items()}
        )
        return 0
    width = max(map(len, values))
    for name, value in values.items():
        print(f"{name:<{width}}  {'-' if value is None else value}  ({resolved.origin[name]})")
        print(flowing(f"{'':<{width}}    {Settings.model_fields[name].description}", width + 4))
    return 0


def _shown(value: object) -> object:
    from drr.env.trust import ServerAddress
    from pydantic import SecretStr

    if isinstance(value, SecretStr) and not isinstance(value, ServerAddress):
        return "********"
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)

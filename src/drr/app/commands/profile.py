"""The command `drr shop profile`: the summary of a user that query writers and judges are shown."""

from __future__ import annotations

import argparse

from drr.app.console import add_setting_options, print_document, settings_of
from drr.app.terminal import flowed
from drr.app.users import user_in
from drr.env.profile import build_profile
from drr.env.records.shopper import shopper_summary
from drr.env.shop import open_shop


def build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What query writers and judges are told of a user: built only from what the user tools return, of bounded length, "
        "without e-mail, phone or street."
    )
    parser.epilog = "examples:\n  drr shop profile --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1\n  drr shop profile --shop shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --json"
    parser.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    parser.add_argument("--user", required=True, metavar="U", help="the id of the user")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(parser, "shop_url")


def run(arguments: argparse.Namespace) -> int:
    with open_shop(arguments.shop, settings_of(arguments).settings) as shop:
        money = shop.manifest.money
        profile = build_profile(shop.store, user_in(shop, arguments.user), shop.manifest.as_of, money)
    print_document(
        arguments,
        {"schema": 1, **money.fields, **profile.model_dump(mode="json"), "sha256": profile.sha256},
        flowed(shopper_summary(profile, money), 2),
    )
    return 0

"""Asks this user before a study uses addresses, programs, prompts, prices or a shop that somebody else named.

A study that this user makes is remembered, so that its owner is never asked. Anything that another folder names needs a yes
at a terminal, which is remembered too, or an option that names it. Without either, the command ends with one line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.models.servers import say_useless_keys, strange_choices
from drr.app.notices import ask_yes_no, notice
from drr.app.study.content_hash import hash_content_behind
from drr.app.terminal import plain
from drr.env.errors import Misuse
from drr.env.person_setting import settings_of
from drr.env.powers import Power, power_of
from drr.env.settings import (
    FILE,
    MODEL_ADDRESSES,
    Resolved,
    Settings,
    StudyChoices,
    resolve,
)
from drr.env.shop import SERVERS
from drr.env.trust import (
    BY_PATH,
    can_remember,
    is_known,
    origin_of,
    remember_addresses,
    remember_vouched,
    vouched_entries,
)
from drr.env.user_code import is_in_file
from pydantic import BaseModel

if TYPE_CHECKING:
    from drr.app.study.study_plan import KeptStudy, StudyPlan


def named_settings(settings: Settings | None, **named: object) -> dict[str, object]:
    """Return the settings that a Python program names: those set in `settings`, and the keyword arguments that are not `None`."""
    own: dict[str, object] = {}
    if settings is not None:  # a setting that somebody else named is confirmed where it was named
        own = {name: getattr(settings, name) for name in settings.model_fields_set - settings.unnamed.keys()}
    return own | {name: value for name, value in named.items() if value is not None}


def trusted_addresses(arguments: argparse.Namespace) -> list[str]:
    """Return the addresses given with `--trust-address`; empty for commands without that option."""
    return list(getattr(arguments, "trust_address", ()))


def vouched_settings(
    given: Mapping[str, Any],
    trusted: Sequence[str],
    study: StudyChoices | None = None,
    powers: Sequence[Power] = ("run", "read", "pay"),
) -> Resolved:
    """Resolve all settings, remember the addresses of `--trust-address`, and ask this user about what others named.
    What a command cannot do (`powers`) is not asked about: a frozen web is read where agents run."""
    found = resolve(dict(given), study=study, asks=True)
    if _agrees(found, trusted, [FILE.parent, *([] if study is None else [study.folder])]):
        found = resolve(dict(given), study=study, asks=True)
    say_useless_keys(found.settings)
    names = {*declared(Settings, *powers)} - ({"sandbox"} if "run" not in powers else set())
    web, shop = found.settings.sandbox, study and study.shop
    made_together = web and shop and Path(_resolve(web)).parent == Path(_resolve(shop)).parent
    # A shop is asked about where it is opened; a study that was moved finds another web than the one that it names.
    if made_together or not (web and web.is_dir()):
        names.discard("sandbox")
    for folder in set(found.strangers.values()):
        named = {one: getattr(found.settings, one) for one in names if found.stranger_of(one) == folder}
        check_choices(folder, Settings, named)
        if study and folder == study.folder and not is_known(folder):
            _confirm(folder, list(_paid(named)))
    return found


def _paid(named: Mapping[str, object]) -> Iterator[Thing]:
    """Yield the models and the web of a stranger's study that this user's keys would pay."""
    for name, value in named.items():
        if power_of(Settings.model_fields[name]) == "pay" and str(value) not in _UNPAID:
            option = "--judge" if name == "model_judge" else f"--{name.replace('_', '-')}"
            yield Thing("pay", str(value), f"{value}, which your key pays", f"{option} {value}")


_UNPAID = {"None", "offline", "{}", "minilm", "sandbox", "replay"}


def _agrees(found: Resolved, trusted: Sequence[str], folders: Sequence[Path]) -> bool:
    """Remember trusted addresses, ask about other choices of strangers, and tell whether more may be used now."""
    remember_addresses(folders, trusted)
    known, agreed = set(map(origin_of, trusted)), bool(trusted)
    for folder, kind, value, question, refusal in strange_choices(found):
        if (kind, value) in {("address", place) for place in known}:
            continue
        if _allowed(question):
            agreed = True
            if folder is None:
                remember_addresses(folders, [value])
            else:
                remember_vouched(folder, kind, {value: BY_PATH})
        elif refusal is not None:
            notice(refusal)
    return agreed


def trusted_settings(call: StudyPlan, study: KeptStudy) -> Resolved:
    """Ask this user about all that others name, before any of it is used; return the settings.

    Others are whoever made the study and the settings files of the working folder. What this call names itself is not asked about.
    """
    if not study.is_new:
        left = {name: _left(name, study.plan, call) for name in declared(type(call), "read", "run")}
        check_choices(call.folder, type(call), left)
    return vouched_settings(call.named_settings, call.trust_address, study.choices)


def _left(name: str, own: StudyPlan, call: StudyPlan) -> object:
    """Return what of a study's choice a call does not name itself. A program is named by its file and its function."""
    before, now = getattr(own, name), getattr(call, name)
    if power_of(type(own).model_fields[name]) != "run":
        return before if now is None else None
    named = {_program_and_function(word) for word in _program_words(name, now)}
    return [word for word in _program_words(name, before) if _program_and_function(word) not in named]


def _program_words(name: str, value: object) -> list[str]:
    """Return the words of a choice that may name programs. A study's settings name them as memories."""
    if name == "settings" and isinstance(value, str):
        return [one.memory_word for one in settings_of(value) if one.place]
    words = value.split(",") if isinstance(value, str) else value
    return [str(word).strip() for word in words] if isinstance(words, Iterable) else []


def _program_and_function(word: str) -> tuple[str | None, str]:
    """Return the program of a variant's word and the name of its function, without its model. A command has no function."""
    from drr.agents.commands.command import is_command
    from drr.agents.registry import parts_of

    bare, _ = parts_of(word)
    return program_of(bare), "" if is_command(bare) else bare.rpartition(":")[2]


def program_of(word: str) -> str | None:
    """Return the file or command that a variant's word runs with this user's rights; `None` for an installed agent."""
    from drr.agents.commands.command import Command, is_command
    from drr.agents.registry import parts_of

    word, _ = parts_of(word)
    if is_command(word):
        return Command.of(word).word
    return _resolve(word.rpartition(":")[0]) if is_in_file(word) else None


class Thing(NamedTuple):
    """Something of a choice of others that runs or is read."""

    kind: str
    value: str
    shown: str
    option: str
    """Option by which this user names it."""


_KINDS = {
    "variants": "agent",
    "tools": "agent",
    "settings": "agent",
    "price_file": "prices",
    "web_record": "web",
    "sandbox": "web",
    "place": "shop",
    "contexts": "shop",
}
"""Kinds under which choices are remembered, where that is not their name: a yes that was given once holds for ever."""
_ALWAYS = ("agent", "prices", "prompts", "shop", "study")
"""Kinds that are asked about in a study of this user's own too, as its content may have changed since."""


def declared(options: type[BaseModel], *powers: Power) -> list[str]:
    """Return the choices that say that they can do one of these."""
    return [name for name, field in options.model_fields.items() if power_of(field) in powers]


def check_choices(
    folder: Path, options: type[BaseModel], values: Mapping[str, object], beside: Path | None = None
) -> None:
    """Ask this user about all that a stranger's choices run or read; raise `Misuse` for anything not approved.

    This is the one check of the declarations. Sources `beside` a study file came with it, and are read unasked.
    """
    things = [
        thing
        for name, value in values.items()
        if value is not None
        for thing in _things(folder, name, power_of(options.model_fields[name]), value, beside)
    ]
    if things:
        _confirm(folder, things)


def _things(
    folder: Path, name: str, power: Power | None, value: object, beside: Path | None
) -> Iterator[Thing]:
    kind, option = _KINDS.get(name, name), {"frozen": "--set"}.get(name, f"--{name.replace('_', '-')}")
    if power == "pay":
        return
    if power == "run":
        for word in _program_words(name, value):
            if program := program_of(word):
                noun = {"tools": "tool", "settings": "memory"}.get(name, "agent")
                yield Thing(
                    kind, program, f"the {noun} {word}", f"{option} {'memory:' * (noun == 'memory')}{word}"
                )
    elif name == "shop":
        place = found_shop(folder, str(value)) or ""
        # A missing shop passes here: whoever opens it reports the error.
        if _is_there(place) and not is_own_shop(folder, place):
            yield Thing(kind, shop_place(place), f"the shop {place}", f"{option} {place}")
    elif not (kind == "shop" and is_own_shop(folder, str(value))):
        place, is_source = _resolve(str(value)), kind == name and name not in _ALWAYS[:-1]
        if not (is_source and beside is not None and Path(place).is_relative_to(beside.resolve())):
            shown = (
                f"the {kind} in {value}" if kind in ("prices", "prompts", "web") else f"the {name} {value}"
            )
            yield Thing(kind, place, shown, f"{option} {value}")


def check_shop(folder: Path, named: str | None, given: str | None) -> None:
    """Ask this user to approve the shop that a study names; raise `Misuse` if it is not approved. A shop given now is approved by that."""
    from drr.app.study.study_plan import StudyPlan

    if given is not None:
        remember_shop(folder, given)
    elif named:
        check_choices(folder, StudyPlan, {"shop": named})


def found_shop(folder: Path, named: str | None) -> str | None:
    """Return the place of the shop that a study names, looked up from here, else from the study's parent folder.

    Study and shop may have been moved together. An approved shop goes before another; where neither place has a shop, the name is returned.
    """
    if not named or named.startswith(SERVERS):
        return named
    there = [place for place in (named, str(folder.resolve().parent / named)) if _is_there(place)]
    return next((place for place in there if is_own_shop(folder, place)), there[0] if there else named)


def offer_shop(folder: Path, named: str | None, given: str | None, option: str = "--shop") -> None:
    """Ask this user to approve the shop of a study, for a command that can work without one. Without approval a notice says that the shop is left out."""

    try:
        if given is not None or option == "--shop":
            check_shop(folder, named, given)
        elif named and not is_own_shop(folder, named):
            _confirm(folder, [Thing("shop", shop_place(named), f"the shop {named}", f"{option} {named}")])
    except Misuse as error:
        notice(str(error))


def remember_shop(folder: Path, shop: str) -> None:
    """Remember a shop that this user named. A shop outside the study is remembered for every study, so that studies can be moved; a shop inside, for this study only."""
    place = shop_place(shop)
    standing = _standing(folder, place)
    remember_vouched(folder, "shop", {place: standing})
    if standing == BY_PATH:
        remember_vouched(_own_shop(place), "shop", {place: BY_PATH})


def is_own_shop(folder: Path, shop: str) -> bool:
    """Return True if this user approved the shop. An account that cannot remember approvals counts every shop as approved, so that no command asks again."""
    place = shop_place(shop)
    if vouched_entries(folder).has("shop", place, hash_content_behind(place)):
        return True
    return vouched_entries(_own_shop(place)).has("shop", place) or not can_remember()


def _own_shop(place: str) -> Path:
    """Return the key under which the approval of a shop is remembered for all studies. Each shop has its own key, so that parallel commands do not collide."""
    return Path("/", "shops", place)


def shop_place(shop: str) -> str:
    """Return the identity of a shop: `servers:NAME`, or its absolute path."""
    return shop if shop.startswith(SERVERS) else _resolve(shop)


def _resolve(path: str | Path) -> str:
    """Return the absolute path with links resolved; a text that cannot be resolved is returned unchanged."""
    try:
        return str(Path(path).expanduser().resolve())
    except (OSError, RuntimeError, ValueError):
        return str(path)


def _is_there(shop: str) -> bool:
    try:
        return shop.startswith(SERVERS) or bool(_shop_file(shop).lstat())
    except (OSError, RuntimeError, ValueError):  # no such path, or one that this user may not look into
        return False


def _shop_file(shop: str) -> Path:
    from drr.env.embedded.layout import MANIFEST

    return Path(shop).expanduser() / MANIFEST


def _confirm(folder: Path, things: Iterable[Thing]) -> None:
    before = vouched_entries(folder)
    is_own = is_known(folder)
    for kind, value, shown, option in things:
        if is_own and kind not in _ALWAYS:
            continue
        digest = hash_content_behind(value)
        if before.has(kind, value, digest):
            continue
        named = plain(f"{folder} names {shown} (sha256 {digest[:16]})")
        if not _allowed(f"{named}, which you did not name"):
            raise Misuse(plain(f"{named}, and you did not: not used; look at it, then give {option}"))
        remember_vouched(folder, kind, {value: digest})
        if kind == "agent":
            remember_vouched(_asked_about(value), kind, {value: digest})


def _asked_about(program: str) -> Path:
    """Return the key under which a program of others is remembered. A yes to it holds for its content alone, in every study."""
    return Path("/", "programs", program.lstrip("/"))


def remember_study(
    folder: Path, settings: Settings, variants: str = "", shops: Iterable[str | None] = ()
) -> None:
    """Remember everything that this user named when making or continuing a study, so that no command asks about it again."""
    programs = [program for word in variants.split(",") if (program := program_of(word.strip()))]
    programs += filter(None, map(program_of, settings.tools))
    named: dict[str, list[str]] = {"agent": programs}
    for setting in ("prompts", "price_file", "web_record"):
        path = getattr(settings, setting)
        named.setdefault(_KINDS.get(setting, setting), []).extend([] if path is None else [_resolve(path)])
    remember_vouched(folder, "study", {_resolve(folder): BY_PATH})
    for shop in filter(None, shops):
        remember_shop(folder, shop)
    for name in MODEL_ADDRESSES:
        if (address := getattr(settings, name)) is not None and name not in settings.unnamed:
            remember_vouched(folder, "address", {origin_of(address.get_secret_value()): BY_PATH})
    for kind, values in named.items():
        if values:
            remember_vouched(folder, kind, {value: _standing(folder, value) for value in values})


def remember_file(file: Path, folder: Path) -> None:
    """Remember that this user saved `file` as the file of the study in `folder`."""
    remember_vouched(file, "study", {_resolve(folder): BY_PATH})


def _standing(folder: Path, value: str) -> str:
    """Return the mark under which a value is approved: the content hash of what others made or named, else `BY_PATH`. A file of the user's own stays approved when it is edited."""
    from drr.agents.commands.command import Command, is_command

    if vouched_entries(_asked_about(value)).known:
        return hash_content_behind(value)
    if is_command(value):
        named = Command.of(value).files
        inside = any(file.resolve().is_relative_to(folder.resolve()) for file in named)
        return hash_content_behind(value) if inside else BY_PATH
    inside = Path(value).is_relative_to(folder.resolve())
    return hash_content_behind(value) if inside else BY_PATH


def _allowed(what: str) -> bool:
    return ask_yes_no(f"{what}; allow it, now and later?")

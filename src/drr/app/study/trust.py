"""Asks this user before a study uses addresses, programs, prompts, prices or a shop that somebody else named.

A study that this user makes is remembered, so that its owner is never asked. Anything that another folder names needs a yes
at a terminal, which is remembered too, or an option that names it. Without either, the command ends with one line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.app.models.servers import say_useless_keys, strange_addresses
from drr.app.notices import ask_yes_no, notice
from drr.app.terminal import plain
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import settings_of
from drr.env.settings import (
    ADDRESSES,
    FILE,
    MODEL_ADDRESSES,
    Resolved,
    Settings,
    StudyChoices,
    resolve,
)
from drr.env.shop import SERVERS
from drr.env.small_files import DOCUMENT, read_within
from drr.env.trust import (
    BY_PATH,
    Named,
    can_remember,
    origin_of,
    remember_addresses,
    remember_vouched,
    vouched_entries,
)
from drr.env.user_code import is_in_file

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
    given: Mapping[str, Any], trusted: Sequence[str], study: StudyChoices | None = None, *, runs: bool = True
) -> Resolved:
    """Resolve all settings, remember the addresses of `--trust-address`, and ask this user to confirm files that strangers named.
    Tools are confirmed where agents may run."""
    folders = [FILE.parent, *([] if study is None else [study.folder])]
    remember_addresses(folders, trusted)
    found = resolve(dict(given), study=study)
    for place, who in strange_addresses(found.settings).items():
        if _allowed(f"{who} sends what models are asked, with your key, to {place}"):
            remember_addresses(folders, [place])
            found = resolve(dict(given), study=study)
    say_useless_keys(found.settings)
    _check_files(found)
    if runs and (folder := found.stranger_of("tools")) is not None:
        check_tools(folder, found.settings.tools)
    return found


def trusted_settings(call: StudyPlan, study: KeptStudy) -> Resolved:
    """Ask this user about all that others name, before any of it is used; return the settings.

    Others are whoever made the study and the settings files of the working folder. What this call names itself is not asked about.
    """
    if not study.is_new:
        own = study.plan
        now = () if call.settings is None else settings_of(call.settings)
        memories = [
            one.memory_word for one in settings_of(own.settings or "") if one.place and one not in now
        ]
        named = {_agent_of(word) for word in (call.variants or "").split(",")}
        agents = [word for word in (own.variants or "all").split(",") if _agent_of(word) not in named]
        check_agents(call.folder, ",".join([*agents, *memories]))
        for name in ("shop", "place", "contexts"):
            before, given = (one and str(one) for one in (getattr(own, name), getattr(call, name)))
            check_shop(call.folder, before, given, f"--{name}")
    return vouched_settings(call.named_settings, call.trust_address, study.choices)


def _agent_of(word: str) -> tuple[str | None, str]:
    """Return the program of a variant's word and the name of its function, without its model. A command has no function."""
    from drr.agents.commands.command import is_command
    from drr.agents.registry import parts_of

    bare, _ = parts_of(word.strip())
    return program_of(bare), "" if is_command(bare) else bare.rpartition(":")[2]


def check_agents(folder: Path, words: str) -> None:
    """Ask this user to approve the programs among a study's variants; raise `Misuse` for one not approved."""
    for word in words.split(","):
        if program := program_of(word.strip()):
            _check(folder, "agent", program, f"the agent {word.strip()}", f"--variants {word.strip()}")


def check_tools(folder: Path, words: Sequence[str]) -> None:
    """Ask this user to approve tools that the author of `folder` names, as they run with this user's rights."""
    for word in words:
        _check(folder, "agent", tool_file(word), f"the tool {word}", f"--tools {word}")


def tool_file(word: str) -> str:
    return _resolve(word.rpartition(":")[0])


def program_of(word: str) -> str | None:
    """Return the file or command that a variant's word runs with this user's rights; `None` for an installed agent."""
    from drr.agents.commands.command import Command, is_command
    from drr.agents.registry import parts_of

    word, _ = parts_of(word)
    if is_command(word):
        return Command.of(word).word
    return _resolve(word.rpartition(":")[0]) if is_in_file(word) else None


def _check_files(found: Resolved) -> None:
    """Check prompts, prices and web recordings that a stranger's settings name. Prompts decide what models are told, prices when a budget is spent, recordings where pages are written."""
    from drr.env.trust import is_known

    for setting in FILES:
        folder, path = found.stranger_of(setting), getattr(found.settings, setting)
        if folder is not None and path is not None and not (FILES[setting][0] == "web" and is_known(folder)):
            check_named_files(folder, {setting: path})


FILES: Mapping[str, tuple[Named, str]] = {
    "prompts": ("prompts", "--prompts"),
    "price_file": ("prices", "--price-file"),
    "web_record": ("web", "--web-record"),
}


def check_named_files(folder: Path, named: Mapping[str, Path]) -> None:
    """Ask this user to approve files, by setting, that the author of `folder` names; raise `Misuse` for one not approved."""
    for setting, path in named.items():
        kind, option = FILES[setting]
        _check(folder, kind, _resolve(path), f"the {kind} in {path}", f"{option} {path}")


def check_shop(folder: Path, named: str | None, given: str | None, option: str = "--shop") -> None:
    """Ask this user to approve the shop (or place) that a study names; raise `Misuse` if it is not approved.

    A missing shop passes here: whoever opens it reports the error.
    """
    if option == "--shop":
        named = found_shop(folder, named)
    if given is not None:
        remember_shop(folder, given)
    elif named is not None and (option != "--shop" or _is_there(named)) and not is_own_shop(folder, named):
        _check(folder, "shop", shop_place(named), f"the shop {named}", f"{option} {named}")


def check_study(file: Path, folder: Path) -> None:
    """Raise `Misuse` if a study file names a study outside its folder. A file that this user saved from that study may name it."""
    if not folder.resolve().is_relative_to(file.absolute().parent.resolve()):
        _check(
            file,
            "study",
            _resolve(folder),
            f"the study {folder}",
            f"the study itself: drr run {folder}",
        )


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
        check_shop(folder, named or None, given, option)
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


def _check(folder: Path, kind: Named, value: str, shown: str, option: str) -> None:
    digest = hash_content_behind(value)
    if vouched_entries(folder).has(kind, value, digest):
        return
    notice = plain(f"{folder} names {shown} (sha256 {digest[:16]})")
    if not _allowed(f"{notice}, which you did not name"):
        raise Misuse(plain(f"{notice}, and you did not: not used; look at it, then give {option}"))
    remember_vouched(folder, kind, {value: digest})


def hash_content_behind(value: str) -> str:
    """Return the hash of a file, a folder's prompts, a shop's manifest, a command or a text. A manifest holds the hashes of the shop's files."""

    from drr.agents.commands.command import Command, is_command

    if is_command(value):
        return Command.of(value).identity()
    path, made = Path(value), sha256()
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError:  # in a folder that this user may not look into
        is_folder = is_file = False
    if is_folder:
        for file in sorted([*path.glob("*.md"), *path.glob(_shop_file(value).name)]):
            made.update(f"{file.name}\0{sha256(_content(file)).hexdigest()}\n".encode())
    else:
        made.update(_content(path) if is_file else value.encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def _content(path: Path) -> bytes:
    if not path.is_file():
        raise Misuse(f"{path}: no file that could be read (a pipe, a device or a broken link)")
    try:
        return read_within(path, DOCUMENT)
    except (OSError, ValueError) as error:
        raise Misuse(f"{path}: cannot be read ({error})") from error


def remember_study(
    folder: Path, settings: Settings, variants: str = "", shops: Iterable[str | None] = ()
) -> None:
    """Remember everything that this user named when making or continuing a study, so that no command asks about it again."""
    programs = [program for word in variants.split(",") if (program := program_of(word.strip()))]
    programs += map(tool_file, settings.tools)
    named: dict[Named, list[str]] = {"agent": programs}
    for setting, (kind, _) in FILES.items():
        path = getattr(settings, setting)
        named.setdefault(kind, []).extend([] if path is None else [_resolve(path)])
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
    """Return the mark under which a value is approved: the content hash inside the study, else `BY_PATH`. A file of the user's own stays approved when it is edited."""
    from drr.agents.commands.command import Command, is_command

    if is_command(value):
        named = Command.of(value).files
        inside = any(file.resolve().is_relative_to(folder.resolve()) for file in named)
        return hash_content_behind(value) if inside else BY_PATH
    inside = Path(value).is_relative_to(folder.resolve())
    return hash_content_behind(value) if inside else BY_PATH


def _allowed(what: str) -> bool:
    return ask_yes_no(f"{what}; allow it, now and later?")


def plain_settings(settings: Settings) -> JsonObject:
    """Return all resolved settings as plain data, without secrets, which each process reads for itself."""
    plain = settings.model_dump(mode="json")
    for name in MODEL_ADDRESSES:
        if (address := getattr(settings, name)) is not None:
            plain[name] = str(address)
    secret = {
        name for name, field in type(settings).model_fields.items() if "Secret" in str(field.annotation)
    } | {*ADDRESSES} - {*MODEL_ADDRESSES}
    return {name: value for name, value in plain.items() if name not in secret}

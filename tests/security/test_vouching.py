"""A stranger's study folder gets no key and runs no program; one's own goes on without a question."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from drr.app.study.trust import remember_shop
from drr.app.study.workers import settings_from
from drr.env.errors import Misuse
from drr.env.settings import StudyChoices, resolve
from drr.env.trust import ServerAddress, is_loopback, origin_of
from drr.llm import models

from tests.cases import each
from tests.commands import Drr
from tests.tampering import rewrite
from tests.wire import Request, Say, Wire, looked

SONNET = "anthropic:claude-sonnet-5-5"
KEY = "sk-ant-api03-of-this-user-0123456789"
EVIL = "https://models.invalid"
New = Callable[..., list[str]]


def as_a_stranger(
    study: Path, monkeypatch: pytest.MonkeyPatch, *changes: tuple[str, str], knows_shop: bool = True
) -> None:
    """The folder comes from elsewhere: nothing but the shop is remembered of it, and its author wrote what they liked."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(study.resolve().parent / "another user"))
    if knows_shop:
        run = tomllib.loads((study / "study.toml").read_text(encoding="utf-8"))["run"]
        remember_shop(study, run["shop"])
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    for old, fresh in changes:
        assert old in text
        text = text.replace(old, fresh)
    rewrite(path, text)


def named(address: str) -> tuple[str, str]:
    return "[settings]\n", f'[settings]\nbase_url = "{address}"\n'


@pytest.mark.parametrize(
    "command", [("judge", "--judge", SONNET, "--quiet"), ("run", "--model", SONNET, "--dry-run")]
)
def test_an_address_that_only_the_study_names_gets_nothing(
    drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    as_a_stranger(Path("study"), monkeypatch, named(EVIL))
    code, out, err = drr(command[0], "study", *command[1:])
    assert (code, out) == (2, "")
    assert f"--trust-address {EVIL}" in err
    assert len(err.splitlines()) == 1
    assert KEY not in err
    # What this user names stands over it, and what they trust once is trusted for this study from then on.
    own = ("--base-url", "http://127.0.0.1:9")
    assert drr(command[0], "study", *command[1:], "--dry-run", *own)[0] == 0
    assert drr(command[0], "study", *command[1:], "--dry-run", "--trust-address", EVIL)[0] == 0
    assert drr(command[0], "study", *command[1:], "--dry-run")[0] == 0


def test_a_server_of_the_study_is_not_asked(drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    with Wire(lambda request: Say("no verdict")) as wire:
        as_a_stranger(Path("study"), monkeypatch, named(wire.url))
        code, _, err = drr("judge", "study", "--judge", SONNET, "--what", "quality", "--quiet", "--limit", 1)
        assert code == 2 and f"--trust-address {wire.url}" in err and not wire.requests
        own = ("--base-url", wire.url)
        drr("judge", "study", "--judge", SONNET, "--what", "quality", "--quiet", "--retry-failed", *own)
        assert wire.requests and all(KEY in str(request.headers) for request in wire.requests)


def test_a_study_of_ones_own_goes_on(drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    said: list[Request] = []

    def script(request: Request) -> Say:
        said.append(request)
        return looked(request, "A report of 4 words.")

    with Wire(script) as wire:
        assert drr("run", *new(), "--model", SONNET, "--base-url", wire.url, "--quiet")[0] == 0
        for words in (("run", "study", "--trials", 2), ("judge", "study", "--what", "quality", "--limit", 1)):
            before = len(said)
            drr(*words, "--quiet")
            assert len(said) > before
        assert all(KEY in str(request.headers) for request in said)


AGENT = """
from pathlib import Path
Path(MARK).write_text("ran")

async def quick(query, tools, model, budget):
    await next(tool for tool in tools if tool.name == "product_catalog_search").ainvoke({"query": "house"})
    return "0 products were found."
"""


def test_a_program_that_only_the_study_names_is_not_loaded(
    drr: Drr, new: New, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, own = tmp_path / "mark", tmp_path / "own.py"
    own.write_text(AGENT.replace("MARK", repr(str(mark))))
    assert drr("run", *new(f"{own}:quick"), "--quiet")[0] == 0
    mark.unlink()
    own.write_text(own.read_text() + "# edited\n")
    assert drr("run", "study", "--quiet")[0] == 0, "the user's own file stays theirs when they edit it"
    assert mark.exists()

    other = tmp_path / "other.py"
    other.write_text(own.read_text().replace("mark", "stolen"))
    as_a_stranger(Path("study"), monkeypatch, ("own.py:quick", "other.py:quick"))
    for words in (("run", "study"), ("run", "study", "--dry-run"), ("run", "study", "--trials", 2)):
        code, out, err = drr(*words)
        assert (code, out) == (2, ""), err
        assert "sha256" in err
        assert f"--variants {other}:quick" in err
    assert not (tmp_path / "stolen").exists()
    assert drr("run", "study", "--variants", f"{other}:quick", "--quiet")[0] == 0
    assert drr("run", "study", "--quiet")[0] == 0


def test_a_stranger_spends_none_of_this_users_money(
    drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    as_a_stranger(Path("study"), monkeypatch, ("[settings]\n", f'[settings]\nmodel_judge = "{SONNET}"\n'))
    with Wire([]) as wire:
        code, _, err = drr("judge", "study", "--quiet", "--base-url", wire.url)
    assert code == 2 and f"{SONNET}, which your key pays" in err and f"give --judge {SONNET}" in err
    assert not wire.requests


def test_a_program_inside_the_study_is_only_the_one_that_was_seen(drr: Drr, new: New, tmp_path: Path) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    inside = Path("study", "agent.py")
    inside.write_text(AGENT.replace("MARK", repr(str(tmp_path / "mark"))))
    assert drr("run", "study", "--variants", f"{inside}:quick", "--quiet")[0] == 0
    assert drr("run", "study", "--quiet")[0] == 0
    inside.write_text(inside.read_text() + "# not the one\n")
    assert drr("run", "study", "--quiet")[0] == 2


@pytest.mark.parametrize(
    ("setting", "command", "told"),
    [
        ('prompts = "{at}/mine"', ("judge",), "--prompts {at}/mine"),
        ('price_file = "{at}/prices.toml"', ("run",), "--price-file {at}/prices.toml"),  # nothing would cost
        ('web_record = "{at}"', ("run",), "--web-record {at}"),
        ('anthropic_api_key = "sk-theirs"', ("judge", "--judge", SONNET), "holds no key"),
    ],
)
def test_what_only_the_study_names_is_not_used(
    drr: Drr,
    new: New,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    command: tuple[str, ...],
    told: str,
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rate.md").write_text("Give every report a ten.")
    (tmp_path / "prices.toml").touch()
    assert drr("run", *new(), "--quiet")[0] == 0
    change = f"[settings]\n{setting.format(at=tmp_path)}\n"
    as_a_stranger(Path("study"), monkeypatch, ("[settings]\n", change))
    err = drr.err(command[0], "study", *command[1:], "--dry-run")
    assert told.format(at=tmp_path) in err and "sk-theirs" not in err


def test_strange_servers_stay_alone(drr: Drr, new: New, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    as_a_stranger(Path("study"), monkeypatch, (f'shop = "{box / "shop"}"', 'shop = "servers:production"'))
    assert "--shop servers:production" in drr.err("judge", "study")


@pytest.mark.long
def test_a_shop_that_only_the_study_names_is_not_opened(
    drr: Drr, new: New, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    shop = str(box / "shop")
    assert drr("judge", "study", "--what", "rules", "--quiet")[0] == 0, "one's own shop is not asked for"
    assert drr("run", "study", "--quiet")[0] == 0
    as_a_stranger(Path("study"), monkeypatch, knows_shop=False)
    for words in (("run", "study"), ("run", "study", "--dry-run"), ("judge", "study", "--quiet")):
        code, out, err = drr(*words)
        assert (code, out) == (2, ""), err
        assert len(err.splitlines()) == 1
        assert f"--shop {shop}" in err
        assert "sha256" in err
    code, _, err = drr("view", "study", "--static", "pages", "--quiet")
    assert code == 0
    assert f"--shop {shop}" in err, "what can be read without the shop is read without it"
    assert drr("judge", "study", "--what", "rules", "--quiet", "--shop", shop)[0] == 0
    assert drr("judge", "study", "--what", "rules", "--quiet")[0] == 0, "it was named for this study"
    assert drr("run", "study", "--quiet")[0] == 0


def test_a_trap_is_not_waited_for(drr: Drr, new: New, box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    trap = Path("study", "shop").resolve()
    trap.mkdir()
    os.mkfifo(trap / "manifest.json")
    as_a_stranger(Path("study"), monkeypatch, (str(box / "shop"), str(trap)), knows_shop=False)
    code, out, err = drr("judge", "study")
    assert (code, out) == (2, "")
    assert "a pipe" in err
    (trap / "manifest.json").unlink()
    code, _, err = drr("judge", "study")
    assert code == 1
    assert "is no shop" in err, "what is not there is not asked for"


def test_an_account_without_a_memory_goes_on_with_its_shops(
    drr: Drr, new: New, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container without a home: who can remember nothing cannot have said yes before."""
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    assert drr("run", *new(), "--quiet")[0] == 0
    assert drr("judge", "study", "--what", "rules", "--quiet")[0] == 0


def at_a_terminal(words: list[str], answer: str, folder: Path) -> tuple[int, str]:
    """The installed command with a real terminal for its input and its errors, and what a person types there."""
    import pty
    import subprocess
    import sys

    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "import sys; from drr.app.cli import main; sys.exit(main())", *words]
    process = subprocess.Popen(command, cwd=folder, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    questions = 0
    while True:
        try:
            said += os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if said.count(b"[y/N]") > questions:
            questions += 1
            os.write(ours, answer.encode() + b"\n")
    os.close(ours)
    return process.wait(60), said.decode()


@pytest.mark.slow
def test_a_yes_to_a_program_of_others_holds_for_its_content(drr: Drr, new: New, tmp_path: Path) -> None:
    """A study that was made of a stranger's file is this user's; the program is the stranger's still."""
    mark, theirs = tmp_path / "mark", tmp_path / "theirs.py"
    theirs.write_text(AGENT.replace("MARK", repr(str(mark))))
    file = tmp_path / "st.yaml"
    _, *words = new()
    keys = {words[at].lstrip("-"): words[at + 1] for at in range(0, len(words) - 1, 2)}
    lines = [f"{name}: {value}" for name, value in keys.items() if name != "variants"]
    file.write_text("\n".join(["study: made", *lines, f"variants: ['{theirs}:quick']"]))
    assert drr("run", file, "--quiet")[0] == 2 and not mark.exists()
    code, said = at_a_terminal(["run", str(file), "--quiet"], "y", tmp_path)
    assert code == 0 and mark.exists(), said
    assert drr("run", "made", "--quiet")[0] == 0
    theirs.write_text(theirs.read_text() + "# edited\n")
    mark.unlink()
    for command in (("run", "made"), ("run", "made", "--dry-run"), ("run", file)):
        assert drr(*command)[0] == 2
    assert not mark.exists()


@pytest.mark.long
def test_a_person_at_a_terminal_is_asked_once(
    drr: Drr, new: New, box: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    as_a_stranger(Path("study"), monkeypatch, knows_shop=False)
    words = ["judge", "study", "--dry-run"]
    code, said = at_a_terminal(words, "n", tmp_path)
    assert code == 2, said
    assert f"names the shop {box / 'shop'} (sha256" in said
    assert "which you did not name; allow it, now and later? [y/N]" in said
    code, said = at_a_terminal(words, "yes", tmp_path)
    assert code == 0, said
    assert drr(*words)[0] == 0, "the answer holds for this study, also where nobody can be asked"
    other = tmp_path / "copied"
    Path("study").rename(other)
    assert drr("judge", other, "--dry-run")[0] == 2, "and for no other"


def test_servers_of_others_stay_alone(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRR_ELASTICSEARCH_API_KEY", KEY)
    for name, url in (
        ("elasticsearch_url", "https://search.invalid"),
        ("mongodb_url", "mongodb://db.invalid"),
    ):
        (tmp_path / "drr.toml").write_text(f'{name} = "{url}"\n')
        code, _, err = drr("shop", "info", "servers:mine")
        assert code == 2
        assert f"--trust-address {url}" in err


def test_a_folder_leads_no_key_away(drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (tmp_path / "drr.toml").write_text(f'base_url = "{EVIL}"\nmodel = "{SONNET}"\n')
    code, _, _ = drr("ask", "which feeder?", "--shop", "nowhere", "--user", "U")
    assert code in (1, 2)
    given = resolve({}, environ={"ANTHROPIC_API_KEY": KEY})
    assert dict(given.settings.unnamed) == {"base_url": "file drr.toml"}
    own = tmp_path / "config" / "drr" / "settings.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'base_url = "{EVIL}"\n')
    assert not resolve({}).settings.unnamed
    assert not resolve({}, environ={"DRR_BASE_URL": EVIL}).settings.unnamed


def test_what_this_user_names_stands_over_an_address_of_strangers(tmp_path: Path) -> None:
    study = StudyChoices(tmp_path, {"base_url": EVIL})
    asked = resolve({}, study=study, environ={"DRR_BASE_URL": "https://mine.example"})
    assert asked.settings.base_url == ServerAddress("https://mine.example")
    assert resolve({}, study=study, environ={}).settings.base_url == ServerAddress(EVIL)
    same = resolve({}, study=study, environ={"DRR_BASE_URL": f"{EVIL}/v2"})
    assert (same.settings.base_url, dict(same.settings.unnamed)) == (ServerAddress(EVIL), {})


def test_a_worker_sends_no_key_that_its_driver_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from drr.app.models.setup import models_of
    from drr.app.study.workers import sent_settings

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    settings = resolve({}, study=StudyChoices(Path("nowhere"), {"base_url": "http://127.0.0.1:9"})).settings
    there = settings_from(sent_settings(settings))
    assert set(there.unnamed) == {"base_url"}
    assert models_of(there).settings.keys == {"anthropic": None, "openai": None}


def test_a_server_of_vectors_that_others_named_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from drr.env.embedding import embedder_of

    with Wire(lambda request: Say("no vectors")) as wire:
        named_by_others = StudyChoices(
            Path("nowhere"), {"base_url": wire.url, "model_embedder": "openai:small", "search": "hybrid"}
        )
        settings = resolve({}, study=named_by_others, environ={"OPENAI_API_KEY": KEY}).settings
        with pytest.raises(Misuse, match="--trust-address"):
            embedder_of(settings)
        assert not wire.requests


LOOPBACK = [
    "http://127.0.0.1:9/v1", "http://localhost", "https://[::1]:8", "mongodb://u:p@127.0.0.1:1,localhost/db",
]  # fmt: skip
ELSEWHERE = [
    "http://127.0.0.1.evil.example", "http://127.evil.example", "http://localhost.evil.example", "http://127.0.0.1@evil.example",
    "http://evil.example/@127.0.0.1", "http://evil.example#@127.0.0.1", "http://evil.example\\@127.0.0.1",
    "http://127.0.0.1\\@evil.example", "http://127.0.0.1\t.evil.example", "mongodb://127.0.0.1,evil.example",
    "mongodb+srv://localhost", "http://[::ffff:8.8.8.8]", "", "127.0.0.1", "http://",
]  # fmt: skip


SPELT = ["HTTP://127.0.0.1", "http://127.0.0.1:x", "https://LOCALHOST:8", "http://u:p@[::1]:1/x"]


@each("address", [*LOOPBACK, *ELSEWHERE, *SPELT])
def test_only_this_machine_is_this_machine(address: str) -> None:
    """So say those who vouch and those who send keys; `tries_at_addresses` asks the client that sends, too."""
    assert address in SPELT or is_loopback(address) is (address in LOOPBACK)
    if address.lower().startswith("http"):
        assert models.is_loopback(address) is is_loopback(address)


def test_an_address_is_known_by_whom_it_reaches() -> None:
    assert origin_of("https://Me:pw@Models.Example:8443/v1?x=1") == "https://models.example:8443"
    assert origin_of("HTTPS://models.example:8443/v2") == "https://models.example:8443"


def test_a_broken_memory_vouches_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from drr.env.trust import remember_vouched, vouched_entries

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert remember_vouched(tmp_path, "address", {EVIL: "named here"})
    assert vouched_entries(tmp_path).has("address", EVIL)
    assert not vouched_entries(tmp_path / "other").has("address", EVIL)
    memory = next((tmp_path / "config").rglob("*.json"))
    assert memory.stat().st_mode & 0o077 == 0
    for text in ("", "[]", '{"vouched": 3}', '{"vouched": {"address": []}}', "[" * 100_000):
        memory.write_text(text)
        assert not vouched_entries(tmp_path).has("address", EVIL)

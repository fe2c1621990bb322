"""Tasks of somebody's own files: a real client over the wire, a search engine and pages over HTTP, and a model that does not always behave."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drr.env.web import fetch, live
from drr.papers.dr3.form import is_rejected, read_corpus, read_question
from drr.papers.dr3.making.corpus import cut_to_length
from drr.papers.dr3.making.manifest import read_manifest, task_hash
from drr.papers.dr3.making.proposals import ProposedPage, ProposedTerm, SearchPaths, kept_terms, refusal_of
from drr.papers.dr3.truth import read_truth
from drr.study.study import Study

from tests.cases import cases, table
from tests.commands import drr
from tests.drawer.hostile import picture
from tests.web.hostile import to_loopback
from tests.wire import Reply, Request, Say, Wire

THING, NOUN = "Acme kettle", "kettle"
FILES = {
    "receipt.md": b"Acme kettle, bought on July 17, 2020 for $41.99.\n\nIts serial number is AK-20-778.\n",
    "shelf plan.csv": b"place,width\nkettle shelf,30.5 in\n",
    "notes.txt": b"Call the shop about the kettle.\n",
}
FACTS = {
    "receipt.md": [
        ("Acme kettle", "purchase date", "July 17, 2020", "bought on July 17, 2020"),
        ("Acme kettle", "serial number", "AK-20-778", "Its serial number is  AK-20-778."),
        ("Acme kettle", "colour", "red", "The kettle is red"),
        ("Zebra kettle", "price", "$41.99", "for $41.99"),
    ],
    "shelf plan.csv": [("kettle shelf", "width", "30.5 in", "width: 30.5 in")],
    "notes.txt": [("kettle", "date", "July 17, 2020", "bought on July 17, 2020")],
}
"""Subject, attribute, value, quotation: of the third the file says nothing, the fourth is of another thing, the last stands in another file."""
WORDS = cases("filetasks", "WORDS")
TERMS = ["{noun} ownership study wording", "{noun} council decision leaflet"]
NOISE = ["{noun} festival village parade", "{noun} painting museum tour"]


def filler(seed: int, words: int = 420) -> str:
    rng = Random(seed)
    text = [rng.choice(WORDS) for _ in range(words)]
    return ". ".join(" ".join(text[at : at + 12]).capitalize() for at in range(0, words, 12)) + "."


@dataclass
class Internet:
    """Pages and an engine: what each term finds, and what was asked."""

    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def url(self, name: str) -> str:
        return f"http://site.example:{self.port}/{name}"

    def put(self, name: str, title: str, text: str, term: str) -> None:
        paragraphs = "".join(f"<p>{one}</p>" for one in text.split("\n"))
        self.pages[f"/{name}"] = (
            f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{paragraphs}</article></body></html>"
        )
        self.found.setdefault(term, []).append(name)

    def hits(self, query: str) -> dict[str, Any]:
        names = self.found.get(query, [])
        return {"organic": [{"title": name, "link": self.url(name), "snippet": "..."} for name in names]}


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Iterator[Internet]:
    net = Internet()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def _send(self, body: str | None, kind: str) -> None:
            data = (body or "").encode()
            self.send_response(404 if body is None else 200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            net.asked[self.path] += 1
            self._send(net.pages.get(self.path), "text/html; charset=utf-8")

        def do_POST(self) -> None:
            query = json.loads(self.rfile.read(int(self.headers["content-length"])))["q"]
            net.asked[query] += 1
            self._send(json.dumps(net.hits(query)), "application/json")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    net.port = server.server_port
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setattr(
        fetch, "Fetcher", partial(fetch.Fetcher, resolver=to_loopback, loopback_port=net.port)
    )
    monkeypatch.setattr(live, "Serper", partial(live.Serper, endpoint=f"http://127.0.0.1:{net.port}/search"))
    monkeypatch.setenv("SERPER_API_KEY", "planted")
    yield net
    server.shutdown()
    server.server_close()


@dataclass
class World:
    """One folder of files with its pages, and what a model that behaves says of them."""

    folder: Path
    net: Internet
    thing: str = THING
    noun: str = NOUN

    def facts(self, text: str) -> dict[str, Any]:
        name = next(name for name in FACTS if f"\n{name}\n" in text)
        return {
            "facts": [
                dict(zip(("subject", "attribute", "value", "quote"), one, strict=True)) for one in FACTS[name]
            ]
        }

    def terms(self) -> list[dict[str, str]]:
        said = [{"term": one.format(noun=self.noun), "role": "signal"} for one in TERMS]
        return said + [{"term": one.format(noun=self.noun), "role": "noise"} for one in NOISE]

    def quote(self, name: str) -> str:
        return {
            "study": f"The {self.thing} kept going for 7.35 years in the ownership study wording.",
            "leaflet": f"The council leaflet asks 4.65 percent of whoever brings the {self.thing} back.",
            "old": f"An older decision named 9.15 percent for the {self.thing} and nobody withdrew it.",
        }[name]

    def page(self, name: str) -> dict[str, Any]:
        values = {"study": "7.35 years", "leaflet": "4.65 percent", "old": "9.15 percent"}
        if name not in values:
            return {"kind": "noise", "statement": None, "why": "it speaks of something else"}
        said = {
            "subject": self.thing,
            "attribute": f"word of the {name}",
            "value": values[name],
            "quote": self.quote(name),
        }
        return {
            "kind": "distractor" if name == "old" else "supportive",
            "statement": said,
            "why": "it says so",
        }

    def question(self, more: str = "") -> dict[str, Any]:
        names = "receipt.md and shelf plan.csv"
        text = (
            f"I keep what belongs to my {self.noun} in {names}, and I would like to settle this properly today. Please read what is there, "
            "put it beside whatever owners and offices have published about it, and tell me whether keeping it or giving it back is the wiser "
            "step for us, with every figure laid open so that I can follow how you came to your advice without guessing anything."
        )
        return {"query": f"{text} {more}".strip(), "how": ["The files and both pages decide it together."]}


@pytest.fixture
def world(internet: Internet, tmp_path: Path) -> World:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "slip.png").write_bytes(picture())
    (folder / "song.mp3").write_bytes(b"la")
    one = World(folder, internet)
    first, second = (term.format(noun=one.noun) for term in TERMS)
    internet.put("study", f"An {one.noun} ownership study", f"{one.quote('study')}\n{filler(1)}", first)
    internet.put("leaflet", f"A council {one.noun} leaflet", f"{one.quote('leaflet')}\n{filler(2)}", second)
    internet.put("old", f"An older {one.noun} decision", f"{one.quote('old')}\n{filler(3)}", second)
    for number in range(8):
        noise = NOISE[number % 2].format(noun=one.noun)
        internet.put(f"tour-{number}", f"A {one.noun} tour {WORDS[number]}", filler(10 + number), noise)
    internet.put("gone", "x", "y", first)
    del internet.pages["/gone"]
    return one


def text_of(request: Request) -> str:
    content = request.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def behaving(world: World, **said: Callable[[str], dict[str, Any] | str]) -> Callable[[Request], Reply]:
    """`terms`, `page` (given its name) and `question` take the place of what a good model says."""

    def script(request: Request) -> Reply:
        text = text_of(request)
        answer: dict[str, Any] | str
        if text.startswith("You read one file"):
            answer = said.get("facts", world.facts)(text)
        elif text.startswith("Somebody keeps files"):
            answer = said.get("terms", lambda _: {"terms": world.terms()})(text)
        elif text.startswith("You read one page"):
            name = re.findall(r"http://site\.example:\d+/(\S+)", text)[-1]
            answer = said.get("page", world.page)(name)
        else:
            answer = said.get("question", lambda _: world.question())(text)
        return Say(answer if isinstance(answer, str) else json.dumps(answer))

    return script


def words(world: World, wire: Wire, *more: str) -> list[str | Path]:
    return ["papers", "tasks", "drawer", "--files", world.folder, "--out", world.folder.parent / "tasks", "--sizes", "4k", "--web", "serper",
            "--today", "2024-02-29", "--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--trust-address", wire.url, "--quiet", *more]  # fmt: skip


def test_a_task_is_made_of_pages_that_were_found_and_waits_for_a_person(
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "tasks"
    with Wire(behaving(world)) as wire:
        assert drr(*words(world, wire)) == 0, capsys.readouterr().err
        sent = len(wire.requests)
        assert drr(*words(world, wire)) == 0
        assert (
            len(wire.requests) == sent == 3 + 1 + 3 + 1
        )  # files, terms, pages of signal terms, one question
    said = capsys.readouterr().out
    assert "1 task with kinds of pages that no person confirmed" in said
    truth, manifest = read_truth(out / "papers"), read_manifest(out)
    assert manifest is not None and manifest.found is not None and manifest.found.unconfirmed == 1
    assert manifest.found.pages["unreachable"] == 1 and manifest.found.web == "serper"
    assert {
        name: manifest.found.pages[f"file_{name}"] for name in ("picture", "unsupported", "without_fact")
    } == dict.fromkeys(("picture", "unsupported", "without_fact"), 1)
    assert [(fact.value, fact.places[0].address, fact.places[0].quote) for fact in truth.of("file")] == [
        ("July 17, 2020", "file://receipt.md", "bought on July 17, 2020"),
        ("AK-20-778", "file://receipt.md", "Its serial number is AK-20-778."),
        ("30.5 in", "file://shelf%20plan.csv#row=2", "width: 30.5 in"),
    ]
    asked = read_question(out / "papers")
    assert (asked.today, asked.files, asked.user_id) == ("2024-02-29", ("receipt.md", "shelf plan.csv"), None)
    assert {path.name for path in (out / "papers" / "files").iterdir()} == set(asked.files)
    urls = {name: world.net.url(name) for name in ("study", "leaflet", "old")}
    assert {page.url: page.kind for page in truth.pages} == {
        urls["study"]: "supportive", urls["leaflet"]: "supportive", urls["old"]: "distractor",
    }  # fmt: skip
    assert {fact.value for fact in truth.of("page")} == {"7.35 years", "4.65 percent"}
    assert truth.found is not None and {one.url for one in truth.found.proposals} == set(urls.values())
    for page in read_corpus(out / "papers", "4k"):
        assert "supportive" not in page.model_dump_json()
    assert read_question(out / "papers").rule_written is False
    assert world.net.asked["/study"] == 1 and world.net.asked[TERMS[0].format(noun=world.noun)] == 1
    assert drr("papers", "tasks", "check", out) == 0
    told = capsys.readouterr().out
    assert "1 task has kinds of pages that no person confirmed: papers" in told
    before = task_hash(out / "papers")
    keys = iter(["?", "c", "c", "c", "a"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(keys))
    assert drr("papers", "tasks", "review", out, "--reviewer", "Ada") == 0
    shown = capsys.readouterr().out
    assert "supportive" in shown and "7.35 years in the ownership study" in shown
    assert read_truth(out / "papers").open_proposals() == [] and task_hash(out / "papers") == before
    assert drr("papers", "tasks", "check", out) == 0
    assert "confirmed" not in capsys.readouterr().out
    manifest = read_manifest(out)
    assert manifest is not None and manifest.found is not None and manifest.found.unconfirmed == 0


@pytest.mark.long
def test_a_page_that_a_person_refutes_makes_the_check_fail(
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "tasks"
    with Wire(behaving(world)) as wire:
        assert drr(*words(world, wire)) == 0
    assert drr("run", tmp_path / "study", "--tasks", out, "--variants", "react", "--quiet") == 0
    assert "no person confirmed" in capsys.readouterr().err
    assert drr("judge", tmp_path / "study", "--judge", "offline", "--what", "dr3", "--quiet") == 0
    assert "no person confirmed, in 1 of 1 tasks" in capsys.readouterr().err
    keys = iter(["w", "it is an advertisement", "q"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(keys))
    assert drr("papers", "tasks", "review", out, "--reviewer", "Ada") == 0
    capsys.readouterr()
    assert drr("papers", "tasks", "check", out) == 1
    assert "kinds: http://site.example" in capsys.readouterr().out
    assert is_rejected(out / "papers")
    keys = iter(["c", "c", "c", "a"])
    assert drr("papers", "tasks", "review", out, "--reviewer", "Ada", "--again") == 0
    assert drr("papers", "tasks", "check", out) == 0 and not is_rejected(out / "papers")


def invented(world: World) -> Callable[[str], dict[str, Any]]:
    def page(name: str) -> dict[str, Any]:
        said = world.page(name)
        if name == "leaflet":
            said["statement"] = {
                **said["statement"],
                "quote": f"The {world.thing} is returned for 4.65 percent, we promise.",
            }
        return said

    return page


def test_what_does_not_stand_in_the_page_is_thrown_away_and_questions_are_asked_for_again(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invented quotation, a page answered without JSON, and three bad questions before a good one."""
    out = tmp_path / "tasks"
    told: list[str] = []

    def question(text: str) -> dict[str, Any]:
        told.append(text)
        bad = [
            "Too short.",
            world.question("My value is 7.35 years.")["query"],
            world.question(f"The {TERMS[0].format(noun=world.noun)} said so.")["query"],
        ]
        number = len(told) - 1
        return {"query": bad[number], "how": ["So."]} if number < 3 else world.question()

    def page(name: str) -> dict[str, Any] | str:
        return "I think it is noise." if name == "old" else invented(world)(name)

    with Wire(behaving(world, page=page, question=question)) as wire:
        assert drr(*words(world, wire)) == 0, capsys.readouterr().err
    truth = read_truth(out / "papers")
    assert [fact.value for fact in truth.of("page")] == ["7.35 years"]
    assert (
        truth.found is not None
        and truth.found.pages["proposal_quotation"] == truth.found.pages["proposal_form"] == 1
    )
    assert truth.refused == {"question": 1, "novelty": 1, "guidance": 1}
    manifest = read_manifest(out)
    assert manifest is not None and manifest.funnel.generated == 4
    assert "refused" not in told[0] and "the question says '7.35 years'" in told[2]
    assert drr("papers", "tasks", "check", out) == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"facts": lambda _: {"facts": []}}, "files 3; last: of no file a fact was proposed"),
        ({"terms": lambda _: {"terms": []}}, "search 3; last: no usable signal term"),
        ({"terms": lambda _: "no JSON"}, "search 3; last: no usable signal term"),
        (
            {"terms": lambda _: {"terms": [{"term": "nothing finds this", "role": "signal"}]}},
            "search 3; last: the searches gave no page",
        ),
        ({"page": lambda _: {"kind": "noise", "statement": None, "why": "no"}}, "supportive 3"),
        ({"question": lambda _: {"query": "Too short.", "how": ["So."]}}, "question"),
    ],
)
def test_a_model_that_gives_nothing_usable_makes_no_task_and_is_told_in_a_line(
    world: World,
    tmp_path: Path,
    said: dict[str, Any],
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Wire(behaving(world, **said)) as wire:
        assert drr(*words(world, wire)) == 1
    err = capsys.readouterr().err
    assert "every candidate was refused" in err and why in err and "Traceback" not in err


@pytest.mark.long
def test_pages_that_do_not_fill_the_size_are_told(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Wire(behaving(world)) as wire:
        line = [word if word != "4k" else "64k" for word in words(world, wire)]
        assert drr(*line) == 1
    assert "tokens where 64k wants 64,000" in capsys.readouterr().err


@pytest.mark.long
def test_what_was_paid_before_it_stopped_is_not_paid_again(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The unit dies after its pages were judged: the same command goes on with the answers that are on disk."""
    out = tmp_path / "tasks"
    from tests.wire import Fail

    def stopping(request: Request) -> Reply:
        if text_of(request).startswith("Write the question"):
            return Fail(401, "authentication_error", "no such key")
        return behaving(world)(request)

    with Wire(stopping) as wire:
        assert drr(*words(world, wire)) != 0
        paid = len(wire.requests) - 1
    searched = Counter(world.net.asked)
    with Wire(behaving(world)) as wire:
        assert drr(*words(world, wire)) == 0, capsys.readouterr().err
        assert [text_of(one)[:18] for one in wire.requests] == ["Write the question"]
    assert paid == 7 and world.net.asked == searched
    with Study.open(out.with_name("tasks.study"), read_only=True) as study:
        assert sum(1 for _ in study.records("generation")) == 1


def test_misuse_is_told(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["papers", "tasks", "drawer", "--files", world.folder, "--out", tmp_path / "t"]
    model = ("--web", "sandbox", "--model", "anthropic:claude-sonnet-5-5")
    (tmp_path / "none").mkdir()
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "it.md").symlink_to(world.folder / "receipt.md")
    for more, told in (
        (("--web", "sandbox"), "are proposed by a model; give --model"),
        (("--model", "anthropic:claude-sonnet-5-5"), "the pages beside them are found; give --web"),
        ((*model, "--files", tmp_path / "none"), "holds no file"),
        ((*model, "--files", tmp_path / "gone"), "there is no such folder"),
        ((*model, "--files", tmp_path / "link"), "is a link"),
        ((*model, "--today", "soon"), "is no date"),
    ):
        assert drr(*line, *more) != 0
        assert told in capsys.readouterr().err, told


def test_a_folder_of_folders_is_a_task_of_each(world: World, tmp_path: Path) -> None:
    """A second set of files is a unit of its own; what made the first is not asked again."""
    both = tmp_path / "both"
    both.mkdir()
    world.folder = world.folder.rename(both / "papers")
    (both / "other").mkdir()
    (both / "other" / "receipt.md").write_bytes(FILES["receipt.md"])

    def question(text: str) -> dict[str, Any]:
        said = world.question()
        return (
            said
            if "shelf plan.csv" in text
            else {**said, "query": said["query"].replace(" and shelf plan.csv", "")}
        )

    with Wire(behaving(world, question=question)) as wire:
        line = [both if word == world.folder else word for word in words(world, wire)]
        assert drr(*line) == 0
    assert sorted(one.name for one in (both / "tasks").iterdir() if one.is_dir()) == ["other", "papers"]


PAGE = "Warranty\n\nThe Acme kettle is covered for\n36 months by its maker. Acme kettles are red."


@table("filetasks", "code_accepts_a_kind_only_with_its_sentence")
def test_code_accepts_a_kind_only_with_its_sentence(
    kind: str, subject: str, value: str, quote: str, why: str | None
) -> None:
    said = {"subject": subject, "attribute": "cover", "value": value, "quote": quote}
    one = ProposedPage.model_validate({"kind": kind, "statement": said, "why": ""})
    assert refusal_of(one, PAGE) == why
    assert refusal_of(one.model_copy(update={"statement": None}), PAGE) == "form"


def test_terms_are_short_and_pages_are_cut_between_words() -> None:
    said = [
        "two words", "kettle Cover of maker", "kettle cover  of MAKER", "a b c d e f", "kettle at 36 months",
    ]  # fmt: skip
    paths = SearchPaths(terms=[ProposedTerm(term=one, role="signal") for one in said])
    assert [one.term for one in kept_terms(paths, ["36 months"])] == ["kettle cover of maker"]
    cut = cut_to_length("\n".join(["word " * 20] * 100), 1_000)
    assert cut.endswith("word") and 990 < len(cut) <= 1_000
    assert cut_to_length("short", 10) == "short" and len(cut_to_length("x" * 5_000, 1_000)) == 1_000


@pytest.mark.long
def test_answers_without_each_source_are_asked_once_and_told_with_their_cost(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tasks"

    def reader(request: Request) -> Reply:
        text = text_of(request)
        if not text.startswith("A shopper asks you"):
            return behaving(world)(request)
        said = [value for value in ("7.35 years", "4.65 percent") if value in text]
        return Say(f"It is {' and '.join(said) or 'unknown; people say 7.35 years'}.")

    with Wire(reader) as wire:
        assert drr(*words(world, wire)) == 0
        made = len(wire.requests)
        line = (
            "papers", "tasks", "check", out, "--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url,
            "--trust-address", wire.url, "--quiet",
        )  # fmt: skip
        capsys.readouterr()
        assert drr(*line) == 1
        asked = len(wire.requests) - made
        told = capsys.readouterr()
        assert drr(*line, "--json") == 1
        assert len(wire.requests) == made + asked == made + 2 + 2 + 2
        document = json.loads(capsys.readouterr().out)
    assert (
        f"drr: {asked} questions to anthropic:claude-sonnet-5-5, about" in told.err and "about $" in told.err
    )
    assert "papers: closed_book: without any source fact p" in told.out and "left_out" not in told.out
    assert document["by_check"] == {"closed_book": 1}
    assert document["answering"]["funnel"] == {"asked": 1, "refused": {"closed_book": 1}, "kept": 0}
    assert {one["fact"] for one in document["answering"]["untold_with_all"]} == {
        fact.id for fact in read_truth(out / "papers").of("file")
    }

"""Pages that are served, or of the web: what they say, run and let in."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

import httpx
import pytest
from drr.app.annotate.annotation_plan import AnnotationPlan, load
from drr.app.annotate.site import site
from drr.app.pages.serve import path_of_token
from drr.app.viewer.highlight import marked_html
from drr.app.viewer.site import ServedReport, report_routes
from drr.env.progress import LONGEST
from drr.env.web.fetch import Fetched, Fetcher, known_charset
from drr.env.web.live import LiveWeb, Trafilatura, make_page
from drr.env.web.record import Snapshots
from drr.study.blobs import Blobs, LostText
from drr.study.study import Study
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.cases import cases
from tests.commands import Drr
from tests.entering import entered, other_server
from tests.security.test_names import plan_with
from tests.web.hostile import READER, reply, serving, to_loopback
from tests.web.test_live import NoEngine

New = Callable[..., list[str]]
AT = "http://127.0.0.1:8123"


def served(folder: Path) -> tuple[AnnotationPlan, Starlette]:
    plan = AnnotationPlan.model_validate(plan_with("ann"))
    folder.mkdir(exist_ok=True)
    return plan, site(plan, folder, 8123)


@pytest.mark.parametrize(
    "path",
    ["//evil.example/", "///evil.example/", "/\\evil.example/", "/%5Cevil.example", "//evil.example//x"],
)
def test_a_token_opens_no_way_to_another_host(tmp_path: Path, path: str) -> None:
    _, application = served(tmp_path / "a")
    with TestClient(application, base_url=AT, follow_redirects=False) as client:
        to = client.get(f"{AT}{path}?token=t").headers.get("location", "/")
    assert to.startswith("/") and to[1:2] not in ("/", "\\")


def test_pages_lead_nowhere_else_and_cookies_open_their_own(tmp_path: Path) -> None:
    application = Starlette(routes=report_routes(ServedReport(None)))  # type: ignore[arg-type]
    with TestClient(application, base_url=AT, follow_redirects=False) as client:
        to = [
            client.get(f"{AT}/viewer/{path}").headers["location"]
            for path in ("/evil.example/", "/%5Cevil", "q/a.html")
        ]
    assert to == ["/evil.example/", "/evil", "/q/a.html"]
    _, application = served(tmp_path / "a")
    with TestClient(application, base_url=AT) as client:
        assert entered(client, "t").status_code == 200
        cookies = client.cookies.jar
    with other_server() as (address, heard), httpx.Client(base_url=address, cookies=cookies) as client:
        for path in ("/", "/index.html", "/static/look.css", "/mark?sheet=x", "//", "/0"):
            client.get(path)
        assert heard == [None] * 6
        client.get(f"{path_of_token('t')}/")
        assert heard[-1] == "drr-8123=t", "this client sends cookies to every port, as browsers do"
    _, application = served(tmp_path / "a")
    with TestClient(application, base_url=AT, headers={"cookie": "drr-8123=t"}) as client:
        asked = ("/", "/mark", f"{path_of_token('u')}/", path_of_token("t"), f"{path_of_token('t')}x/")
        assert [client.get(path).status_code for path in asked] == [403] * 5
        assert client.get(f"{path_of_token('t')}/").status_code == 200


async def test_a_mark_that_never_ends_is_not_waited_for(tmp_path: Path) -> None:
    plan, application = served(tmp_path / "a")
    taken, sent = 0, list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 1_000, "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8123"), (b"cookie", b"drr-8123=t")]
    sheet, path = plan.annotators[0].sheet.encode(), f"{path_of_token('t')}/mark"
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": path, "raw_path": path.encode(),
             "query_string": b"sheet=" + sheet, "headers": headers, "scheme": "http", "server": ("127.0.0.1", 8123), "client": ("127.0.0.1", 1), "root_path": ""}  # fmt: skip
    async with asyncio.timeout(20):
        await application(scope, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 422 and taken < 10


def test_a_pipe_or_a_device_in_place_of_a_text_is_a_lost_text(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    for make in (os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")):
        digest = blobs.put(repr(make).encode())
        blobs.path(digest).unlink()
        make(blobs.path(digest))
        assert not Blobs(tmp_path).has(digest)
        with pytest.raises(LostText):
            blobs.get(digest)


def test_a_report_that_is_a_pipe_costs_its_answer_alone(drr: Drr, new: New) -> None:
    assert drr("run", *new(), "--quiet")[0] == 0
    with Study.open(Path("study")) as study:
        path = study.blobs.path(next(study.records("answer")).blobs["report"])
    path.unlink()
    os.mkfifo(path)
    assert len(json.loads(drr("status", "study", "--json")[1])["lost"]) == 1
    code, out, _ = drr("export", "study", "--out", "tables", "--json")
    assert code == 0 and len(json.loads(out)["lost"]) == 1


def test_another_plan_gets_a_token_and_port(drr: Drr, new: New, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drr.app.pages.serve.run", lambda application, listener: listener.close())
    assert drr("run", *new(), "--quiet")[0] == 0
    shutil.copytree("study", "strange")
    known: dict[str, list[tuple[object, ...]]] = {}
    for study in ("study", "strange"):
        folder = Path(study, "annotation")
        folder.mkdir()
        (folder / "plan.json").write_text(json.dumps({**plan_with("ann"), "port": 23456}))
        for _ in range(2):
            assert drr("annotate", study)[0] == 0
            plan = load(folder)
            assert plan is not None
            told = (plan.owner_token, plan.annotators[0].token, plan.port)
            known.setdefault(study, []).append(told)
    assert known["study"] == [("o", "t", 23456)] * 2
    first, second = known["strange"]
    assert first == second and not {*first} & {"o", "t", 23456}


BUSY = ("<p>word<br>" * 450_000, "<table>" + "<tr><td>a" * 500_000, "<div>" * 1_000_000, "<b><i>" * 800_000)
ARTICLE = "<html><title>A page</title><body><article>" + "<p>A bird house of cedar, 9 inches high.</p>" * 20


def _fetched(html: str) -> Fetched:
    return Fetched("https://a.example/", "https://a.example/", 200, "text/html", "utf-8", html.encode())


@pytest.mark.long
async def test_busy_pages_cost_bounded_time_and_memory_and_the_next_page_is_read() -> None:
    reader, before = Trafilatura(4), resource.getrusage(resource.RUSAGE_SELF)
    for html in BUSY:
        began = time.monotonic()
        page = await make_page(_fetched(html), reader)
        assert page.status in ("ok", "empty")
        assert time.monotonic() - began < 15
    used = resource.getrusage(resource.RUSAGE_SELF)
    assert used.ru_utime - before.ru_utime < 5, "the work is another process's"
    page = await make_page(_fetched(ARTICLE), reader)
    assert (page.status, page.title) == ("ok", "A page")


def test_a_report_that_no_judge_reads_is_shown_as_text() -> None:
    report = "**a** <script>" * (LONGEST // 14 + 1)
    shown = marked_html(report, [])
    assert shown.startswith("<pre>**a** &lt;script&gt;") and "<script" not in shown


PAGE = (
    "<html><head><title>Feeders</title></head><body><article><h1>Feeders</h1>"
    "<p>A café sells feeders of iron, and they last for twenty years when they are cleaned once a week.</p>"
    "<p>Measure the height of the pole before you choose one; squirrels climb whatever is lower than five feet.</p>"
    "</article></body></html>"
)
FALSE = cases("security", "FALSE")


@given(st.text(max_size=30) | st.sampled_from(FALSE) | st.text(max_size=5).map(lambda end: "utf-8" + end))
def test_a_charset_that_is_known_decodes_anything(name: str) -> None:
    known = known_charset(name)
    assert known is None or isinstance(b"abc\xff\xfe\x00".decode(known, "replace"), str)


@pytest.mark.parametrize("name", FALSE)
async def test_a_page_with_a_false_charset_is_read(name: str) -> None:
    url = "https://a.example/"
    page = await make_page(Fetched(url, url, 200, "text/html", known_charset(name), PAGE.encode()), READER)
    assert page.status == "ok"
    assert "café" in (page.markdown or "")
    meta = PAGE.replace("<title>", f'<meta charset="{name}"><title>')
    assert (await make_page(Fetched(url, url, 200, "text/html", None, meta.encode()), READER)).status == "ok"


@pytest.mark.parametrize("label", ["utf-8,text/html", "gbk2312", "\x1b[31m", "undefined", "hex"])
async def test_a_false_label_ends_no_reading_and_is_noted_beside_the_page(label: str, tmp_path: Path) -> None:
    async with serving() as site:
        site.routes["/page"] = reply(PAGE, f"text/html; charset={label}")
        site.routes["/true"] = reply(PAGE)
        fetcher = Fetcher(timeout=5, respect_robots=False, resolver=to_loopback, loopback_port=site.port)
        snapshots = Snapshots(tmp_path, lambda: datetime(2026, 1, 2, tzinfo=UTC))
        web = LiveWeb(NoEngine(), fetcher, READER, snapshots)
        pages = [await web.read(site.url(path)) for path in ("/page", "/true")]
        assert [page.status for page in pages] == ["ok", "ok"]
        assert pages[0].markdown == pages[1].markdown
        noted = {record["url"]: record.get("false_charset") for record in snapshots.records()}
        assert noted == {site.url("/page"): label, site.url("/true"): None}


def test_every_codec_of_python_is_an_encoding_of_text_or_refused() -> None:
    known = [known_charset(name.replace("_", "-")) for name in {*aliases, *aliases.values()}]
    assert sum(name is not None for name in known) > 50
    for name in filter(None, known):
        assert isinstance(bytes(range(256)).decode(name, "replace"), str)

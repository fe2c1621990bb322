"""Texts as vectors: the offline ones, and those of a server that are asked for once."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from drr.env.embedding import HashedTfIdf, embedder_of
from drr.env.errors import DrrError, Misuse
from drr.env.search.fields import SHELF, fields_of
from drr.env.search.searching import has_vectors
from drr.env.settings import Settings
from drr.env.shop import Manifest
from drr.env.trust import ServerAddress
from drr.wording.money import amounts
from hypothesis import given
from hypothesis import strategies as st


class _Server(ThreadingHTTPServer):
    asked: list[list[str]]
    answer: object


class _Embeddings(BaseHTTPRequestHandler):
    """An OpenAI-compatible server whose vectors are a text's length and its number of spaces, in another order than asked."""

    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body["input"])
        rows = [{"index": k, "embedding": [len(t), t.count(" ") + 1]} for k, t in enumerate(body["input"])]
        answer = json.dumps(self.server.answer or {"data": rows[::-1]}).encode()
        self.send_response(200 if self.path == "/v1/embeddings" and body["model"] == "tiny" else 404)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[_Server]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with _Server(("127.0.0.1", 0), _Embeddings) as server:
        server.asked, server.answer = [], None
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _settings(server: _Server, model: str = "openai:tiny") -> Settings:
    return Settings(model_embedder=model, base_url=f"http://127.0.0.1:{server.server_address[1]}/v1")


def test_what_shares_words_or_pieces_is_nearer_and_rare_words_weigh_more() -> None:
    texts = ["cedar bird feeder", "bird feeders of cedar wood", "usb cable", "birdfeeding", ""]
    rows = HashedTfIdf.fitted(texts).embed(texts)
    near = rows @ rows[0]
    assert near[1] > near[3] > near[2]
    assert np.allclose(np.linalg.norm(rows[:4], axis=1), 1) and not rows[4].any()
    texts = ["kit red", "kit blue", "kit green", "kit zebra"]
    fitted = HashedTfIdf.fitted(texts)
    rows = fitted.embed(["zebra kit", "zebra", "kit"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_a_text_is_asked_for_once(server: _Server) -> None:
    first = embedder_of(_settings(server)).embed(["a b", "ccc", "a b"])
    again = embedder_of(_settings(server)).embed(["ccc", "dd dd"])
    assert server.asked == [["a b", "ccc"], ["dd dd"]]
    assert np.array_equal(first[0], first[2]) and np.array_equal(first[1], again[0])
    assert np.allclose(first[1], np.array([3, 1]) / np.sqrt(10))


def test_what_another_server_answered_under_the_same_name_is_not_taken_for_this_ones(server: _Server) -> None:
    embedder_of(_settings(server)).embed(["a b"])
    beside = _settings(server).model_copy(
        update={"base_url": ServerAddress(f"http://localhost:{server.server_address[1]}/v1")}
    )
    embedder_of(beside).embed(["a b"])
    assert server.asked == [["a b"], ["a b"]]


def test_tries_end_by_the_deadline() -> None:
    settings = Settings(model_embedder="openai:tiny", base_url="http://127.0.0.1:9/v1", model_deadline=0.5)
    with pytest.raises(DrrError, match=r"http://127\.0\.0\.1:9 did not answer \(ConnectError\)"):
        embedder_of(settings).embed(["never embedded before"])


def test_a_server_that_answers_otherwise_is_named(server: _Server) -> None:
    with pytest.raises(DrrError, match=r"embedder at http://127\.0\.0\.1:\d+ did not answer \(status 404\)"):
        embedder_of(_settings(server, "openai:huge")).embed(["a"])
    server.answer = {"data": [{"vector": [1]}]}
    with pytest.raises(DrrError, match="another form"):
        embedder_of(_settings(server)).embed(["a"])


def test_an_embedder_that_cannot_be_asked_is_refused_at_once() -> None:
    for model in ("anthropic:x", "openai:", "tiny", "offline:x"):
        with pytest.raises(Misuse, match="give `offline`"):
            embedder_of(Settings(model_embedder=model))
    with pytest.raises(Misuse, match="OPENAI_API_KEY"):
        embedder_of(Settings(model_embedder="openai:tiny"))
    assert Settings(model="openai:chat").model_for("embedder") == "offline"


_PIECES = st.sampled_from(
    ["Bed", "pillows", "And", "and", "Women's", "3.5mm", "AC/DC", "Bath,", "&", "+", "-", "Pots_and", "x", "|", "Set of 2", "\u00c9t\u00e9", "'s", "B+W"]
)  # fmt: skip
_NAMES = st.lists(_PIECES, max_size=6).map(" ".join)


@given(_NAMES, _NAMES)
def test_whatever_has_a_name_has_its_last_word_as_one(title: str, leaf: str) -> None:
    names = fields_of("", title, None, "", [leaf], {}).name
    own = {name for name in names if not name.startswith(SHELF)}
    assert {name.rsplit("_", 1)[-1] for name in own} <= own


@given(
    st.sampled_from(["forty-one dollars", "26\u00a2", "two bucks", "USD 5", "\u0665 dollars", "ten cents"])
)
def test_an_amount_has_a_digit_or_the_name_of_what_is_counted(text: str) -> None:
    assert amounts(f"about {text} each") and not amounts("quiet dog nail grinder")


def test_the_embedder_of_an_extra_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(Misuse, match=r"onnxruntime is not installed: .*\[embed\]"):
        embedder_of(Settings(model_embedder="minilm")).embed(["a bird feeder"])


@pytest.mark.parametrize("model", ["offline", "minilm", "openai:tiny"])
def test_vectors_of_an_embedder_are_found_again_by_its_name(model: str) -> None:
    settings = Settings(model_embedder=model, search="hybrid", base_url_embedder="http://127.0.0.1:9/v1")
    versions = {"vectors": f"{embedder_of(settings).name}:0123456789abcdef"}
    assert has_vectors(
        Manifest(backend="", as_of="", content_hash="", counts={}, versions=versions), settings
    )

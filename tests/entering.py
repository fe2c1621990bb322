"""Going in at a page of ours as a browser does: by the address that a command printed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from httpx import Client, Response


def entered(client: Client, token: str) -> Response:
    """What is asked for afterwards lies below the place that the token opened."""
    answer = client.get(client.base_url.join("/"), params={"token": token})
    if not answer.is_error:
        client.base_url = answer.url.join(answer.headers.get("location", "")).join(".")
    return answer


@contextmanager
def other_server() -> Iterator[tuple[str, list[str | None]]]:
    """Another user's server on this machine: its address, and the cookie of each request."""
    heard = list[str | None]()

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("cookie"))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Listening) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", heard
        finally:
            server.shutdown()
            thread.join()

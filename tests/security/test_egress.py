"""A run speaks with the hosts that somebody named, and with no other, whatever else the environment says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.wire import Say, Wire


def test_neither_tracing_nor_a_proxy_of_the_environment_hears_of_a_run(
    new: Callable[..., list[str]], tmp_path: Path
) -> None:
    """The listener stands where LangSmith and the proxy would: each request it gets is one too many."""
    with (
        Wire(lambda request: Say("no")) as listener,
        Wire(lambda request: Say("Nothing was found.")) as model,
    ):
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true", "LANGSMITH_API_KEY": "lsv2_pt_0123456789abcdef",
            "LANGSMITH_ENDPOINT": listener.url, "HTTP_PROXY": listener.url, "http_proxy": listener.url, "ALL_PROXY": listener.url,
        }  # fmt: skip
        code = (
            "import sys\nfrom drr.app.cli import main\nwords = sys.argv[1:]\n"
            "main(['run', *words, '--quiet'])\n"
            "main(['run', 'live', *words[1:], '--quiet', '--model', 'openai:mine', '--base-url', sys.stdin.read(), '--model-deadline', '5'])\n"
            "from langchain_core.tracers.langchain import wait_for_all_tracers\nwait_for_all_tracers()\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *new()], input=f"{model.url}/v1", capture_output=True, text=True,
            env=environment, cwd=tmp_path, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        assert model.requests, done.stderr[-2000:]
        assert [request.path for request in listener.requests] == []

"""Who else may hear of a run: nobody, whatever the libraries that call models find in the environment."""

from __future__ import annotations

import os
import sys
from urllib.parse import urlsplit

from drr.llm.models import is_loopback

_TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_OWN = ("127.0.0.1", "localhost", "::1")


def tracing_off() -> None:
    """LangChain posts every run to LangSmith where the environment says so: another project's habit, not this one's."""
    for name in _TRACING:
        if name in os.environ:
            os.environ[name] = "false"
    langsmith = sys.modules.get("langsmith.utils")
    if langsmith is not None:  # it remembers what it read
        langsmith.get_env_var.cache_clear()


def no_proxy_for_this_machine(address: str | None) -> None:
    """A server on this machine is spoken to directly: `HTTP_PROXY` would hand what is asked to the proxy's owner."""
    hosts = [*_OWN]
    if is_loopback(address):
        hosts.append(urlsplit(address or "").hostname or "")
    for name in ("NO_PROXY", "no_proxy"):
        known = [host for host in os.environ.get(name, "").split(",") if host]
        if name == "NO_PROXY" or known:
            os.environ[name] = ",".join(dict.fromkeys([*known, *hosts]))

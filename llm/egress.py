"""The rule on who else may hear of a run: nobody, whatever model libraries find in the environment."""

from __future__ import annotations

import os
import sys
from urllib.parse import urlsplit
from urllib.request import getproxies

from drr.llm.failures import ModelSetupError
from drr.llm.names import is_loopback

_TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_PROXIES = ("http", "https", "socks5", "socks5h")
_OWN = ("127.0.0.1", "localhost", "::1")


def tracing_off() -> None:
    """LangChain posts every run to LangSmith where the environment says so: another project's habit, not this one's."""
    for name in _TRACING:
        if name in os.environ:
            os.environ[name] = "false"
    langsmith = sys.modules.get("langsmith.utils")
    if langsmith is not None:  # it remembers what it read
        langsmith.get_env_var.cache_clear()


def proxies() -> dict[str, str]:
    """Find by scheme the proxies that the clients find in the environment."""
    return {name: address for name, address in getproxies().items() if name in ("http", "https", "all")}


def check_proxies() -> None:
    """A client that cannot read the address of its proxy ends in a traceback, or asks another host. It is not shown."""
    for name, address in proxies().items():
        text = address if "://" in address else f"http://{address}"
        try:
            parts = urlsplit(text)
            wrong = parts.scheme not in _PROXIES or not parts.hostname or parts.port == 0 or "@" in parts.path
        except ValueError:
            wrong = True
        if wrong:
            raise ModelSetupError(
                f"{name.upper()}_PROXY: not the address of a proxy (it is not shown, as it may hold a password);"
                " e.g. http://proxy.example:3128, in a password write @ as %40, / as %2F, : as %3A"
            )


def no_proxy_for_this_machine(address: str | None) -> None:
    """A server on this machine is spoken to directly: `HTTP_PROXY` would hand what is asked to the proxy's owner."""
    hosts = [*_OWN]
    if is_loopback(address):
        hosts.append(urlsplit(address or "").hostname or "")
    for name in ("NO_PROXY", "no_proxy"):
        known = [host for host in os.environ.get(name, "").split(",") if host]
        # The small one, though it be empty, stands over the other.
        if name == "NO_PROXY" or name in os.environ:
            os.environ[name] = ",".join(dict.fromkeys([*known, *hosts]))

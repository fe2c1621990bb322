"""Addresses in the many ways in which they are written."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple


class Address(NamedTuple):
    scheme: str
    host: str
    path: str
    query: tuple[str, ...]


def spelt(one: Address, random: Random) -> str:
    """The address in some writing that changes nothing of what it names."""
    scheme, host = ("".join(random.choice([c.upper(), c]) for c in text) for text in (one.scheme, one.host))
    port = random.choice(["", "", {"http": ":80", "https": ":443"}[one.scheme]])
    noise = random.choice([(), (), ("utm_source=chatgpt.com",), ("UTM_medium=x", "utm_id=3")])
    parameters = "&".join([*one.query[:1], *noise, *one.query[1:]])
    slash = "/" if not one.query and random.random() < 0.5 else ""
    end = random.choice(["", "", "#", "#:~:text=some words,to here"])
    url = f"{scheme}://{host}{port}{one.path}{slash}{'?' if parameters else ''}{parameters}{end}"
    return random.choice([url, url, f"  {url}\n", url.replace("_", r"\_"), url.replace("&", "&amp;")])


def near(one: Address, random: Random) -> Address:
    """The same address, or another that looks much like it."""
    scheme = "https" if one.scheme == "http" else "http"
    changes: list[dict[str, Any]] = [{}, {}, {"scheme": scheme}, {"host": f"www.{one.host}"}]
    changes += [{"path": one.path + "/more"}, {"path": one.path.lower()}, {"query": (*one.query, "page=2")}]
    return one._replace(**random.choice(changes))

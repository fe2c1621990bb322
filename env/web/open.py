"""The web that the settings name."""

from __future__ import annotations

from env.settings import Settings
from env.web.base import WebSearch
from env.web.sandbox import open_sandbox


def open_web(settings: Settings) -> WebSearch:
    return open_sandbox(settings.sandbox)

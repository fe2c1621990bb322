"""The embedded shop: one folder with SQLite for records, tantivy for search, and a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.embedded.folder import check_shop, open_shop

if TYPE_CHECKING:
    from drr.env.embedded.writer import FolderWriter
    from drr.env.settings import Settings

__all__ = ["check_shop", "open_shop", "shop_writer"]


def shop_writer(spec: str, settings: Settings, *, replace: bool = False) -> FolderWriter:
    """Return the writer of a new shop; the shop behind an answer needs none."""
    from drr.env.embedded.writer import FolderWriter

    return FolderWriter(Path(spec), replace=replace, settings=settings)

"""The embedded shop: one folder with SQLite for records, tantivy for search, and a manifest."""

from __future__ import annotations

from drr.env.embedded.folder import check_shop, open_shop
from drr.env.embedded.writer import shop_writer

__all__ = ["check_shop", "open_shop", "shop_writer"]

"""The shop on servers: MongoDB for records, Elasticsearch for search, and one manifest document that names the current collections."""

from __future__ import annotations

from drr.env.servers.check import check_shop
from drr.env.servers.opening import open_shop
from drr.env.servers.writer import ServersWriter as shop_writer

__all__ = ["check_shop", "open_shop", "shop_writer"]

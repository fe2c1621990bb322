"""The shop as the Universal Commerce Protocol (UCP) names it: `search_catalog`, `lookup_catalog`, `get_product`, `get_order` over MCP.

A translation of our own tools' answers and nothing else: the same records, the same session, the same refusals. There is no cart,
no checkout and no payment. What the shop does not know is left out and said in `messages`, never made up and never 0, also where the
protocol wants it; docs/tools.md lists where.
"""

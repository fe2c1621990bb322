"""The shop in the form of the Universal Commerce Protocol (UCP): `search_catalog`, `lookup_catalog`, `get_product`, `get_order` over MCP.

The package only translates answers of the project's own tools: the same records, session and refusals. There is no cart,
no checkout and no payment. Unknown values are left out and named in `messages`, never made up and never 0, even where the
protocol requires them; docs/tools.md lists these cases.
"""

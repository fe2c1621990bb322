"""The shop in the form of the Universal Commerce Protocol (UCP) over MCP: catalogue, carts, checkouts and orders.

The package only translates: facts come from the project's own tools, with the same records, session and refusals, and the
protocol's own models (extra `ucp`) check what is asked and what is answered. A product whose price is unknown is not offered.
"""

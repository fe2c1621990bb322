"""Formats records as text: products, orders, users, statistics and shoppers' summaries, in each length that is needed.

No formatted text is ever parsed again: code that decides something uses the record.
"""

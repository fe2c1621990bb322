"""Records set into text. A product, an order, a user, statistics and a shopper's summary, in each length they are given in.

Nothing that is set here is ever read back: whoever decides something decides on the record.
"""

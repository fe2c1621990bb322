"""Records set into text: how a product, an order, a user, statistics and a shopper's summary read, in each length they are given in.

Nothing that is set here is ever read back: whoever decides something decides on the record.
"""

"""A shopper who is served in a talk: the case, the shop's policy, and the state of cart and orders."""

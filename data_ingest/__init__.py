"""Raw Amazon-2023 files -> selection -> products, users, orders -> a shop; and the sample that stands in for them."""

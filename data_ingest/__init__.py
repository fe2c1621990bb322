"""Raw Amazon-2023 files -> selection -> products, users, orders -> a shop; and the sample that stands in for them."""

if __name__ != "drr.data_ingest":
    raise ImportError(
        "this folder is the package drr.data_ingest; a second copy of it would be another shop: import drr.data_ingest"
    )

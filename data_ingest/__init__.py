"""Raw Amazon-2023 files -> selection -> products, users, orders -> a shop; and the sample that stands in for them."""

if __name__ != "drr.data_ingest":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

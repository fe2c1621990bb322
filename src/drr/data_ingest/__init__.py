"""Turns raw Amazon-2023 files into a shop: selection, products, users, orders. The package also makes the sample that replaces the files."""

if __name__ != "drr.data_ingest":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

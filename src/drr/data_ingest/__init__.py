"""Turns raw Amazon-2023 files, or files of your own, into a shop: selection, products, users, orders.

Here are the stages from raw files to a store. `catalogue` reads the files of other shops, `fresh.py` draws
one from a seed, and `sample.py` makes small raw files in the place of the published ones; one seed gives the
same bytes.
The package imports only `wording` and `env`. No model is called: files and a seed decide what a shop holds.
No tool and no agent belongs here. Begin with `ingest.py`, then `products.py` and `orders.py`.
"""

if __name__ != "drr.data_ingest":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

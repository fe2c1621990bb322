"""The board: a static page that ranks the systems of many bundles."""

"""The board: static pages that rank the systems of many bundles."""

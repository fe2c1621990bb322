"""The bench as a task of Inspect AI: `inspect eval drr/retail`. Loaded where Inspect asks for it."""

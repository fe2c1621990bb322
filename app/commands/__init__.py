"""One thin module per command group; heavy imports stay inside the functions."""

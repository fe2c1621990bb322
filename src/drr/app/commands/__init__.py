"""Modules of the commands, one thin module for each group; heavy imports stay inside the functions."""

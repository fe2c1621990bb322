"""User-facing parts of the program: command line, report, viewer, annotation page."""

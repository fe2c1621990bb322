"""The ways in and out: command line, report, viewer, annotation page."""

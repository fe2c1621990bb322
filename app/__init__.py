"""The ways in and out: command line, report, viewer, annotation page."""

if __name__ != "drr.app":
    raise ImportError(
        "this folder is the package drr.app; a second copy of it would be another shop: import drr.app"
    )

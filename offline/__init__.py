"""Stand-ins without a language model: rules that play agents, judge and query writer. Handed in by `app`."""

if __name__ != "drr.offline":
    raise ImportError(
        "this folder is the package drr.offline; a second copy of it would be another shop: import drr.offline"
    )

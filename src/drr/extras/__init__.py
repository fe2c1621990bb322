"""Connections to other software, each in a folder of its own and loaded when it is used.

Here are doors to Ray, UCP, Inspect, OpenTelemetry, Gymnasium, verifiers and OpenEnv. No other package imports
one by name, so that a command loads none unasked and a folder can go without another edit.
An extra may import the public face and any package but `app`, `data_ingest`, `offline` and papers; of `app`
it has what `drr.plugin` offers. Nothing that a figure rests on belongs here.
Begin with `drr/contract.py`, then `otel/plugin.py`.
"""

ORDER = ("ray", "ucp", "inspect", "otel")
"""Extras that register something, in order; an extra whose folder is missing is left out."""

"""Chat models by name and role: calls, retries, limits, usage, prices, prompts and the offline model.

Here a role, such as `judge`, gets a model that counts its tokens and keeps to its budget. Retries belong here
and nowhere else, as two layers would multiply them. `secrets.py` keeps keys out of logs, ledgers and errors.
The package imports no other package of `drr`, and knows neither questions nor shops: agents, judges and
writers of questions share it. What the offline model says comes from functions that are handed in.
Begin with `factory.py`, then `role.py`; `failures.py` names what can go wrong.
"""

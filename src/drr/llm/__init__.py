"""Chat models by name and role: calls, retries, limits, usage, prices, prompts and the offline model. Imports no other package of this project."""

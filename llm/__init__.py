"""Chat models by name and role: calls, retries, limits, usage and price, prompts, the offline model. Imports nothing of ours."""

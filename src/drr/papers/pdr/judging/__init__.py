"""The PDR-Bench judging: makes criteria for a task and person before any answer is scored, then scores reports by them."""

"""Quality control of file tasks by code. It has what refuses a candidate, by name, and the funnel of those that were refused."""

"""The web as the tools see it: search engines, page reading, the frozen sandbox, the guarded fetcher, snapshots."""

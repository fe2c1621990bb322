"""The web for the tools: search engines, page reading, the frozen sandbox, the guarded fetcher, snapshots."""

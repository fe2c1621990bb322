"""Reports beside their evidence: every claim with its verdict, the passage behind it, and the call that brought it."""

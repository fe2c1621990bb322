"""The viewer: shows reports with every claim, its verdict, the evidence passage, and the call that returned the source."""

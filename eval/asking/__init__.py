"""What a judge is sent, and what it must answer."""

"""What is said of a thing and its record has otherwise, weighed."""

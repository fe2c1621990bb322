"""Agents of any language. A command, its process, what it may see and reach, and the door to the run's tools and models."""

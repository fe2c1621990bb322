"""Agents that are commands in any language: the process, its sandbox, and the server for tools and models."""

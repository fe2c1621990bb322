"""Shared parts of all HTML pages (viewer, report, board, annotation): frame, server and safe Markdown, nothing from other hosts."""

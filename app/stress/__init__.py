"""Answers asked again under one change each: what is asked, what came of it, and the page of both."""

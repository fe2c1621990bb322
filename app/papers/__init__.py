"""The four papers: what each prints, and what is made here to stand beside it."""

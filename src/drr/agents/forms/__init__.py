"""Reports in two parts: a model fills in a form, and code adds addresses, titles, figures and sums."""

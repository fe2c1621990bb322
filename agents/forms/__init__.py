"""Reports of which a model gives the form, and code the addresses, titles, figures and sums."""

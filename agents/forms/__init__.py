"""Reports in two parts: a model gives the form, code fills in addresses, titles, figures and sums."""

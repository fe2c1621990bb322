"""Tasks of pages that were found: a model proposes, code accepts only what stands in the pages, a person confirms."""

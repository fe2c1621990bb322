"""Questions whose points bind one another: a specification that code solves, proves through the tools, and prints for a writer."""

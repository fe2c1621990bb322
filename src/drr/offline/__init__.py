"""Stand-ins for language models: rules that play agents, the judge and the query writer. `app` passes them to the other packages."""

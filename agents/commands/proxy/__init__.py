"""The run's model over the wire, as OpenAI's and Anthropic's clients ask for one. Metered, budgeted and retried like our own calls."""

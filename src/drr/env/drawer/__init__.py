"""Files attached to a question: their content, read within limits of time and memory."""

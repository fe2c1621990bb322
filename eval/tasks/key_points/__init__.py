"""Key points of a question, made before any answer is scored, and what an answer says of each."""

"""The query writer without a language model."""

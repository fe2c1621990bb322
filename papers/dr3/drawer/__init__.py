"""A shopper's files, written from a case so that it is known where each fact stands."""

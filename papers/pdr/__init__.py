"""PDR-Bench (papers 000 and 001): persons of a shop, contexts, memories, and reports scored for the person who asked."""

"""The paper PDR-Bench (000 and 001): personas of a shop's users, their contexts and memories, and scores of personalised reports."""

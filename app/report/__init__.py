"""Every table and figure of a study, from its ledger alone."""

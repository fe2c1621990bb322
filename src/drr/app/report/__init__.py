"""The report of a study: every table, figure and page, made from the study's stored records alone."""

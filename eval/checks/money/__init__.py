"""What a report says that things cost together: tables, lists, headings, and the budget that they are held against."""

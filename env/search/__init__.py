"""The search by fields: what it indexes of a product, how it reads a query, what matches well. Every catalogue asks by it."""

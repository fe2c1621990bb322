"""What a search by fields is: what it indexes of a product, how it reads a query, what matches well. Every catalogue asks by it."""

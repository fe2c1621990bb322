"""The search by fields, which every catalogue uses. It defines the indexed fields, how a query is read, and what matches well."""

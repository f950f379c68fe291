"""The analyses of the pool: sentences, tables and charts."""

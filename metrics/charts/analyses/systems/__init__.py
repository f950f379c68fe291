"""The analyses of systems: sentences, tables and charts."""

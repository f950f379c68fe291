"""People, collections, items, pairs, rounds, seats and judgments, from imports to pages."""

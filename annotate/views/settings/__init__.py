"""Settings of a collection, for its leads: guidelines, levels, policy and the others."""

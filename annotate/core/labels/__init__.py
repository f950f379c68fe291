"""Labels of a pair: levels, chains, states, resolution, policy changes, hidden checks, cards."""

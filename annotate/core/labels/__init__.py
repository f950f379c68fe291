"""Labels of a pair: chains, states, resolution, policy changes, hidden checks, cards."""

"""The demo study: scenes of simple shapes whose true relevance is known."""

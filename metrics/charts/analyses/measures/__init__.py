"""Charts and sentences of the analyses of measures."""

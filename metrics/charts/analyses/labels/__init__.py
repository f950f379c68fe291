"""Charts and sentences of the analyses of the labels."""

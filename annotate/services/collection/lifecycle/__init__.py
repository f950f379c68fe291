"""The end of a collection: refusals while it is archived, and its deletion, told before."""

"""The way of a judgment: a batch is claimed, its cards are shown, answers stored, taken back."""

"""Charts and sentences of the analyses, a room for each chapter."""

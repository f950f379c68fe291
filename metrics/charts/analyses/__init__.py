"""Charts and sentences of the analyses, a module for each chapter."""

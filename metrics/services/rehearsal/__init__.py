"""The demo study, and whole campaigns with simulated annotators."""

"""The judge screen, its media, and the training."""

"""The API of pooling: runs and pools."""

"""The commands up and test: servers that come along, the product's processes, their watch."""

"""The two commands: servers that come along, the processes of the product, a watch over them."""

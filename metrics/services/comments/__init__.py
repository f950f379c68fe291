"""Comments and reasons of a collection's labels, for leads: comments may name anybody."""

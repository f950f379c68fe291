"""Label sources, rules that resolve labels, and simulated annotators."""

"""What is judged, and by whom: people, collections, items, pairs, rounds, seats, judgments."""

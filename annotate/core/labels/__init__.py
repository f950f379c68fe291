"""Labels of a pair: levels and reasons, chains, how they resolve, and what hides among them."""

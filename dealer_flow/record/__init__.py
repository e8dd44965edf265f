"""What is said of a round: the result, its incidents as facts, and the words for them."""

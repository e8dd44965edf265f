"""What is wrong with printed pay tables."""

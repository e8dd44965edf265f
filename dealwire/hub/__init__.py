"""What is published of the tables, and to whom."""

"""What is printed from the procedures and the tables of states and incidents."""

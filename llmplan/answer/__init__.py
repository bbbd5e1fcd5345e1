"""What is answered: the record of a solution and what fills it, in numbers, names and expressions."""

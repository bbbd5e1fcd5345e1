"""What is said about an answer, or about there being none."""

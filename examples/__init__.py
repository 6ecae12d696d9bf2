"""What shows how it is done: the operators of the tutorials."""

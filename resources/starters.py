"""What a new object of a built-in kind begins with, where nothing at all would be a poor beginning."""

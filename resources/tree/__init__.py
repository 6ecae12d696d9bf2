"""What belongs to an object, down to its Pods."""

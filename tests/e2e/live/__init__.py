"""What a page makes of its stream."""

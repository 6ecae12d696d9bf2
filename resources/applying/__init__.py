"""Many objects in one text: tried, compared, sent in order, taken back."""

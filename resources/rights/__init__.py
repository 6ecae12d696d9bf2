"""Rights in sentences, the dangerous ones marked, and who has them."""

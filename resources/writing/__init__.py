"""Editing of objects: drafts, three-way merge, review, submission, refusals."""

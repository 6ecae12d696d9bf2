"""How objects changed: what is stored (stored_object, steps, store), recording (bootstep), reading (lives, timeline,
strip), undoing (writes).
"""

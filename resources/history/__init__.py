"""How objects changed: what is stored (kept, steps, store), recording (recorder, bootstep), reading (timeline, strip),
undoing (writes).
"""

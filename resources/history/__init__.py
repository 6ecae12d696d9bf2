"""How objects changed: what is kept (kept, steps, store), who writes it down (recorder, bootstep), how it is read
(timeline, strip), how it is undone (writes).
"""

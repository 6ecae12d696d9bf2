"""`make bench-load`: many signed-in people and many streams against two web processes, for minutes: errors, times of
each page, memory.
"""

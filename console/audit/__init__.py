"""Who did what to which object when: gathered while a request goes on (scene, about, changes), written down
(entries), kept in bounds (bounds), found again (search, export).
"""

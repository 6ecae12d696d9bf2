"""How far an install is, read from the cluster at this moment: place → catalog → Subscription → bundle → InstallPlan
→ CSV → Deployments → Pods.

Nothing is remembered: the page can be loaded at any time, by anybody who may read the objects. facts.py reads,
stages.py and running.py tell, trouble.py names the first broken link with a way out, after.py says what comes next.
"""

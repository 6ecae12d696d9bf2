"""How far an install is, read from the cluster at this moment: place → catalog → Subscription → bundle → InstallPlan
→ CSV → Deployments → Pods.

Stateless: any user who can read the objects can load the page at any time. facts.py reads the objects, stages.py
renders the stages, trouble.py finds the first problem and its fixes, read.py combines them and adds the next steps.
"""

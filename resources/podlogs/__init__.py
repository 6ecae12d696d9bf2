"""Which Pods and containers an object stands for, and their logs as one text."""

"""One object as its page shows it: summary, panels, values, what it owns, Events."""

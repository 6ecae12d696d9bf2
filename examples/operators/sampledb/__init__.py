"""SampleDB: an operator (kopf) and the database that it runs. README.md says how the parts are started."""

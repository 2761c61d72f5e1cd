"""Pydantic models of every YAML and JSON file, and how they are read."""

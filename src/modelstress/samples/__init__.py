"""What was measured: the schema of samples, their files and their provenance."""

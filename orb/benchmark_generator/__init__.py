"""Generates benchmarks of an object request broker from a model of components and metrics."""

"""Steering: a study's starts as jobs of a queue that workers on any machine measure."""

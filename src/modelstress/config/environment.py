"""Environment variables that every command knows."""

EXECUTOR = "MODELSTRESS_EXECUTOR"
"""The executor instead of that of ``config.yaml``, for all commands."""
ROOT = "MODELSTRESS_PROJECT"
"""The project's folder, for jobs that begin somewhere else."""

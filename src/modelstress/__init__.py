"""modelstress: stress tests of remote model and data stores, from a study to figures.

The rooms, in the order in which the data takes them: ``config`` (YAML) → ``design`` (cells) →
``hosts`` and ``measure`` (run a cell) → ``samples`` (what was measured) → ``stats`` →
``analysis`` (derived tables) → ``report`` (tables and figures).
"""

__version__ = "1.0.0"

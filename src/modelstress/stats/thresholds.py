"""From where on a difference counts: one value for every statement of tables, figures and text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """What decides whether two samples differ, and how much.

    Attributes:
        alpha: a p-value below it rejects (0 to 1).
        negligible: a Cliff's delta below it, in absolute value, is a negligible effect (0 to 1).
        small: one below it is small.
        medium: one below it is medium, and from it on large (Romano et al. 2006).
    """

    alpha: float = 0.01
    negligible: float = 0.147
    small: float = 0.33
    medium: float = 0.474

    def magnitude(self, delta: float) -> str:
        """The size of a Cliff's delta in a word."""
        limits = (
            (self.negligible, "negligible"), (self.small, "small"), (self.medium, "medium"),
        )  # fmt: skip
        return next((word for limit, word in limits if abs(delta) < limit), "large")


THRESHOLDS = Thresholds()
"""Those of the papers, and of everything this package says."""

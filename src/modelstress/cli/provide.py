"""Making what cells need before they can be measured: models, expected results and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from modelstress.config.errors import ConfigError, MissingError, ModelstressError
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.kinds import kind_named
from modelstress.design.plan import Run
from modelstress.measure.interrupt import InterruptedRunError
from modelstress.measure.invocation import prepare, require


class Needs:
    """What cells need, each thing made once; what could not be made is remembered.

    Args:
        project: where everything is.
        tell: called with a sentence before something is made.
    """

    def __init__(self, project: Project, tell: Callable[[str], None]) -> None:
        self._project = project
        self._tell = tell
        self._failed: dict[str, ModelstressError] = {}

    def provide(self, runs: Iterable[Run], anew: bool = False) -> None:
        """Make what is missing for some invocations.

        With ``anew`` also what was made of other contents, such as a store of an older program; to
        find that takes a hash of the model, which a job of a single invocation does without.

        An invocation whose needs cannot be met does not keep the others from theirs: ``check``
        raises the reason when its turn comes.

        Raises:
            InterruptedRunError: a signal has come.
        """
        for cell in {self._key(run.cell): run.cell for run in runs}.values():
            try:
                self._provide(cell, anew)
            except InterruptedRunError:
                raise
            except ModelstressError as error:
                self._failed[self._key(cell)] = error

    def check(self, cell: Cell) -> None:
        """Raise what kept a cell's needs from being met.

        Raises:
            ModelstressError: it could not be made.
        """
        if error := self._failed.get(self._key(cell)):
            raise error

    def _provide(self, cell: Cell, anew: bool) -> None:
        try:
            prepare(self._project, Run(cell, 0, 0, 0))
            if anew:
                kind_named(cell.workload).provide(self._project, cell, self._tell)
        except MissingError:
            require(self._project.jar(cell.tool), how_to_get(cell.tool.tool))
            kind_named(cell.workload).provide(self._project, cell, self._tell)
        except ConfigError:
            return  # of this cell's own, such as a query's text: it is said at its turn

    def _key(self, cell: Cell) -> str:
        """Cells with the same needs have the same: those of one tool with one store and dataset."""
        store = kind_named(cell.workload).store(self._project, cell)
        return f"{cell.tool.tool}/{store}/{cell.levels.get(cell.roles.dataset)}"

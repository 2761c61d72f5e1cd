"""Making what cells need before they can be measured: models, expected results and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from modelstress.cli.progress import Counter
from modelstress.config.errors import ConfigError, MissingError, ModelstressError
from modelstress.config.project import Project
from modelstress.design.cells import Cell
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
        for cell in {_key(run.cell): run.cell for run in runs}.values():
            try:
                self._provide(cell, anew)
            except InterruptedRunError:
                raise
            except ModelstressError as error:
                self._failed[_key(cell)] = error

    def check(self, cell: Cell) -> None:
        """Raise what kept a cell's needs from being met.

        Raises:
            ModelstressError: it could not be made.
        """
        if error := self._failed.get(_key(cell)):
            raise error

    def _provide(self, cell: Cell, anew: bool) -> None:
        try:
            prepare(self._project, Run(cell, 0, 0, 0))
            if anew:
                self._make(cell)
        except MissingError:
            for jar in (self._project.jar(cell.tool), self._project.models_jar):
                require(jar, "build it with 'make build'")
            self._make(cell)
        except ConfigError:
            return  # of this cell's own, such as a query's text: it is said at its turn

    def _make(self, cell: Cell) -> None:
        # late: a cell that has everything needs none of this
        from modelstress.jvm import write_oracle
        from modelstress.measure.models import store_model
        from modelstress.measure.stores import load_store

        project, name, case = self._project, str(cell.levels["model"]), cell.model.case
        store = cell.store(project)
        if not project.model_file(name).is_file():
            self._tell(f"making model {name}")
        store_model(project, name, cell.model)
        if not project.oracle_file(name).is_file():
            self._tell(f"computing the expected results on {name}")
        write_oracle(project, name, case)
        if store is None:
            return  # its server is somebody else's
        backend, title = str(cell.levels["backend"]), cell.tool.tool
        if not store.is_dir():
            self._tell(f"loading {name} into {title} on {backend}")
        with Counter(f"load {name} into {title} on {backend}", "elements") as counter:
            load_store(
                project, cell.tool, backend, name, counter.at,
                case=case if cell.attributes == "declared" else None,
            )  # fmt: skip


def _key(cell: Cell) -> str:
    """Cells with the same needs have the same; queries of one model share all."""
    return "/".join(
        str(each) for each in (
            cell.tool.tool, cell.levels["backend"], cell.levels["model"], cell.attributes,
        )
    )  # fmt: skip

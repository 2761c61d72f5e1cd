"""What else the machine of the tests is busy with makes no invocation invalid.

Python imports this module at its start, for its folder is in ``PYTHONPATH``: commands of the tests
are programs of their own, in which no fixture can replace anything.
"""

import importlib.util
import sys
from importlib.abc import MetaPathFinder

RULES = "modelstress.measure.validity"


class Finder(MetaPathFinder):
    """Lets the clients' CPUs be as busy as they are, once the rules are imported."""

    def find_spec(self, fullname, path, target=None):
        """See ``MetaPathFinder``."""
        if fullname != RULES:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            module.MOST_BUSY = float("inf")

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())

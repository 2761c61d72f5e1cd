# Where the project lies. Jobs of Kubernetes begin in a folder of their own, with a copy of these
# files only: they find it by a variable.

import os
from pathlib import Path

from modelstress.config.environment import ROOT
from modelstress.config.project import Project

if ROOT in os.environ:

    envvars:
        ROOT,


PROJECT = Project(Path(os.environ.get(ROOT, Path(workflow.basedir).parent)).resolve())

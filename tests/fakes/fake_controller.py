"""A controller in a process of its own, to be interrupted and killed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

CONTROLLER = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {fakes!r})
    from fake_cells import fake_invocation
    from fake_nodes import two_nodes
    from modelstress.config.errors import ModelstressError
    from modelstress.measure import calibration
    from modelstress.measure.cell import run_invocation
    calibration.SECONDS = 0.02
    folder = Path(sys.argv[1])
    invocation = {maker}(folder, number=int(sys.argv[2]), **{arguments!r})
    try:
        done = run_invocation(
            invocation, lock_file=folder / "lock", lock_wait_s=60,
            listener=lambda e: print(e.phase, e.done, e.message, flush=True),
        )
        print("fresh" if done.fresh else "there", flush=True)
    except ModelstressError as error:
        print(error, flush=True)
        sys.exit(error.exit_code)
"""


def controller(
    folder: Path, number: int = 0, *, maker: str = "fake_invocation", **arguments: Any
) -> subprocess.Popen[str]:
    fakes = str(Path(__file__).parent)
    code = textwrap.dedent(CONTROLLER).format(fakes=fakes, maker=maker, arguments=arguments)
    script = folder / f"controller-{time.monotonic_ns()}.py"
    script.write_text(code)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(number)], stdout=subprocess.PIPE, text=True
    )

"""Commands are listed without being imported, and `--help` stays cheap."""

import subprocess
import sys
from importlib import import_module

from click.testing import CliRunner

from modelstress.cli import main
from modelstress.cli.listing import listed

HEAVY = ("pydantic", "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "docker", "psycopg")


def test_what_is_listed_is_what_the_modules_have():
    for name, about in listed().items():
        commands = {command.name: command for command in import_module(about.module).COMMANDS}
        assert (
            commands[name].get_short_help_str()
            == (
                main.commands.get(name) or type(commands[name])(name, help=about.help)
            ).get_short_help_str()
        ), name
    modules = {about.module for about in listed().values()}
    assert {"modelstress.cli.run", "modelstress.workloads.queries.commands"} <= modules
    for module in modules:
        for command in import_module(module).COMMANDS:
            assert command.name in listed(), f"{module} has {command.name}, which is not listed"


def test_a_kind_extends_a_command():
    assert listed()["load"].module == "modelstress.workloads.queries.commands"


def test_help_imports_no_library_of_numbers():
    program = (
        "import sys; sys.argv = ['modelstress', '--help']\n"
        "from modelstress.start import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print('imported:', *[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "imported:"
    assert "verify-claims" in done.stdout and "model " in done.stdout


def test_a_library_that_is_not_installed_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "docker", None)
    for module in [name for name in sys.modules if name.startswith("modelstress.hosts.containers")]:
        monkeypatch.delitem(sys.modules, module)
    done = CliRunner().invoke(main, ["images", "cdo"])
    assert done.exit_code == 3
    assert done.stderr.strip() == (
        "error: this command needs the Python package 'docker', which is not installed; type "
        "pip install 'modelstress[measure]'"
    )

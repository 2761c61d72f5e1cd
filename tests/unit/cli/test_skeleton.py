"""Names in the skeleton of a new tool."""

import pytest

from modelstress.cli.skeleton import rename, write_tool
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("package org.modelstress.example;", "package org.modelstress.mystore;"),
        ("src/main/java/org/modelstress/example/ExampleDriver.java",
         "src/main/java/org/modelstress/mystore/MyStoreDriver.java"),
        ("<artifactId>example</artifactId>", "<artifactId>my-store</artifactId>"),
        ("java-shims/example/target/dist/example.jar",
         "java-shims/my-store/target/dist/my-store.jar"),
        ("class ExampleServer", "class MyStoreServer"),
    ],
)  # fmt: skip
def test_rename(text, renamed):
    assert rename(text, "my-store") == renamed


def test_a_workspace_has_no_example_to_copy(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("{}")
    with pytest.raises(ConfigError, match="a workspace gets tools from packages"):
        write_tool(Project(tmp_path), "my-store")

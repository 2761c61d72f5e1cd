"""The commit in the provenance: git's hash, and the same as persistent identifiers."""

from __future__ import annotations

import hashlib
import subprocess

import pytest

from modelstress.samples.provenance import git_state, swhid

WHO = ("-c", "user.name=x", "-c", "user.email=x@example.org")


def test_identifiers_of_a_commit_and_its_tree(tmp_path):
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(tmp_path), *WHO, *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    (tmp_path / "a.txt").write_text("text\n")
    git("add", "a.txt")
    git("commit", "-q", "-m", "first")
    found = git_state(tmp_path)
    # a directory's identifier by the standard: its entries, mode, name and content hash
    content = hashlib.sha1(b"blob 5\0text\n").digest()
    entry = b"100644 a.txt\0" + content
    tree = hashlib.sha1(f"tree {len(entry)}\0".encode() + entry).hexdigest()
    assert found == {
        "commit": git("rev-parse", "HEAD"), "dirty": False,
        "swhid": f"swh:1:rev:{git('rev-parse', 'HEAD')}", "swhid_directory": f"swh:1:dir:{tree}",
    }  # fmt: skip
    (tmp_path / "a.txt").write_text("changed\n")
    assert git_state(tmp_path)["dirty"] is True


def test_without_a_repository_nothing_is_known(tmp_path):
    assert set(git_state(tmp_path).values()) == {None}


@pytest.mark.parametrize("digest", ["", "0123abcd", "a" * 64, "A" * 40, "a" * 40 + "\n"])
def test_what_is_no_sha1_has_no_identifier(digest):
    assert swhid("rev", digest) is None

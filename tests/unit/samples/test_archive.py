"""Archives: the same bytes for the same contents, back again, and nothing that is not listed."""

import json
import re
import stat
import zipfile

import pytest

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.samples.archive import KEY, PACKAGE, pack, read_package, unpack

ABOUT = {"name": "x", KEY: {"format": 1, "study": "s", "profile": "p", "captured": None}}
FILES = {
    "data/raw/s/p/cdo/c/i00/cell.json": b"{}\n",
    "data/raw/s/p/cdo/c/i00/samples.parquet": bytes(range(256)) * 40,
    "data/raw/s/p/cdo/C/i00/cell.json": b'{"other": 1}\n',
    "README.md": "Mogwaï\n".encode(),
}


@pytest.fixture
def made(tmp_path):
    pack(tmp_path / "x.zip", FILES, ABOUT)
    return tmp_path / "x.zip"


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def rewritten(made, change):
    """The archive with its package and its members changed; ``change`` gets both."""
    with zipfile.ZipFile(made) as archive:
        members = {member.filename: archive.read(member) for member in archive.infolist()}
    package = json.loads(members.pop(PACKAGE))
    infos = {name: zipfile.ZipInfo(name) for name in members}
    change(package, members, infos)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(infos.get(name, name), data, zipfile.ZIP_DEFLATED)
        archive.writestr(PACKAGE, json.dumps(package))
    return made


def test_there_and_back(made, tmp_path):
    assert unpack(made, tmp_path / "out") == len(FILES)
    found = contents(tmp_path / "out")
    package = json.loads(found.pop(PACKAGE))
    assert found == FILES
    assert package[KEY] == ABOUT[KEY]
    resources = {one["path"]: one for one in package["resources"]}
    assert resources.keys() == FILES.keys()
    assert resources["README.md"]["bytes"] == 8
    names = [one["name"] for one in package["resources"]]
    assert len(set(names)) == len(names)  # C and c are two cells
    assert all(re.fullmatch(r"[a-z0-9._/-]+", name) for name in names)


def test_the_same_contents_are_the_same_bytes(made, tmp_path):
    """Whatever the order, the times, the rights and the places of the files."""
    for number, name in enumerate(reversed(FILES)):
        path = tmp_path / "elsewhere" / str(number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(FILES[name])
        path.chmod(0o600)
    moved = {n: tmp_path / "elsewhere" / str(i) for i, n in enumerate(reversed(FILES))}
    pack(tmp_path / "y.zip", moved, ABOUT)
    assert (tmp_path / "y.zip").read_bytes() == made.read_bytes()


def test_sizes_by_kind_of_file(tmp_path):
    sizes = pack(tmp_path / "x.zip", FILES, ABOUT)
    assert sizes.bytes == (tmp_path / "x.zip").stat().st_size
    assert sizes.files == len(FILES) + 1
    files, size, packed = sizes.kinds["samples.parquet"]
    assert (files, size) == (1, 256 * 40) and packed < size
    assert sizes.kinds["cell.json"][0] == 2


def test_a_second_attempt_goes_on_and_mends(made, tmp_path):
    out = tmp_path / "out"
    unpack(made, out)
    (out / "README.md").unlink()
    damaged = out / "data/raw/s/p/cdo/c/i00/samples.parquet"
    damaged.write_bytes(b"\0" * len(FILES["data/raw/s/p/cdo/c/i00/samples.parquet"]))
    (damaged.parent / ".tmp-17-cell.json").write_bytes(b"half")  # of a run that was killed
    assert unpack(made, out) == 2
    assert unpack(made, out) == 0
    assert contents(out)["README.md"] == FILES["README.md"]
    assert damaged.read_bytes() == FILES["data/raw/s/p/cdo/c/i00/samples.parquet"]


def test_a_newer_archive_takes_the_place_of_an_older_one(made, tmp_path):
    out = tmp_path / "out"
    unpack(made, out)
    newer = {name: data for name, data in FILES.items() if "/C/" not in name}
    newer["data/raw/s/p/cdo/d/i00/cell.json"] = b"{}\n"
    pack(tmp_path / "y.zip", newer, ABOUT)
    unpack(tmp_path / "y.zip", out)
    found = contents(out)
    found.pop(PACKAGE)
    assert found == newer


def test_what_is_not_the_archives_is_not_touched(made, tmp_path):
    own = tmp_path / "own"
    (own / "data/raw").mkdir(parents=True)
    (own / "data/raw/mine").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty and holds no archive"):
        unpack(made, own)
    out = tmp_path / "out"
    unpack(made, out)
    (out / "data/raw/s/p/cdo/c/i01").mkdir()
    mine = out / "data/raw/s/p/cdo/c/i01/cell.json"
    mine.write_text("measured since")
    with pytest.raises(ConfigError, match="is not the archive's"):
        unpack(made, out)
    assert mine.read_text() == "measured since"
    mine.unlink()
    (out / "results").mkdir()  # what was made from it may stay
    (out / "results/report.html").write_text("made")
    unpack(made, out)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="is a file"):
        unpack(made, tmp_path / "file")


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/x", "data/../../x", "a//b", "./a", "a\\b", "C:/x", ".tmp-1-x"]
)
def test_paths_that_leave_the_folder_are_refused(made, tmp_path, name):
    def leave(package, members, infos):
        package["resources"][0]["path"] = name
        members[name] = members.pop("README.md")

    rewritten(made, leave)
    with pytest.raises(ConfigError, match="would leave the folder"):
        unpack(made, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["a\x1b]0;owned\x07", "a\nb", "a\rb", "a\u202eb", "a\x7f"])
def test_names_that_a_terminal_obeys_are_refused(made, tmp_path, name):
    def odd(package, members, infos):
        package["resources"][0]["path"] = name
        members[name] = members.pop("README.md")

    rewritten(made, odd)
    with pytest.raises(ConfigError, match="odd characters") as refused:
        unpack(made, tmp_path / "out")
    assert str(refused.value).isprintable()
    assert not (tmp_path / "out").exists()


def test_links_are_refused(made, tmp_path):
    def link(package, members, infos):
        infos["README.md"].external_attr = (stat.S_IFLNK | 0o777) << 16

    rewritten(made, link)
    with pytest.raises(ConfigError, match="no plain file"):
        unpack(made, tmp_path / "out")


def unlisted(package, members, infos):
    members["data/raw/s/p/cdo/c/i07/cell.json"] = b"{}"


def lacking(package, members, infos):
    del members["README.md"]


@pytest.mark.parametrize("change", [unlisted, lacking])
def test_members_are_what_the_package_lists(made, tmp_path, change):
    rewritten(made, change)
    with pytest.raises(ConfigError, match="only in one of archive and datapackage.json"):
        unpack(made, tmp_path / "out")


def test_a_changed_file_is_refused_and_not_written(made, tmp_path):
    def forge(package, members, infos):
        members["README.md"] = b"Mogwai!\n"  # as long as before

    assert len(FILES["README.md"]) == 8
    rewritten(made, forge)
    with pytest.raises(ConfigError, match=r"README.md is damaged \(it is not what its hash says"):
        unpack(made, tmp_path / "out")
    assert not (tmp_path / "out/README.md").exists()
    assert not list((tmp_path / "out").rglob(".tmp-*"))


def test_flipped_bytes_are_noticed(made, tmp_path):
    """Wherever one is: a sentence, or the contents as they were; never anything else."""
    whole = made.read_bytes()
    for place in range(0, len(whole), 61):
        made.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        out = tmp_path / f"out-{place}"
        try:
            unpack(made, out)
        except ConfigError:
            continue
        found = contents(out)
        found.pop(PACKAGE)
        assert found == FILES


def test_bombs_are_bounded(made, tmp_path):
    with pytest.raises(ConfigError, match="raise --most-gb"):
        unpack(made, tmp_path / "out", most_bytes=1000)

    def bomb(package, members, infos):
        members["README.md"] = bytes(50_000_000)  # and the package says 8

    rewritten(made, bomb)
    assert made.stat().st_size < 100_000
    with pytest.raises(ConfigError, match=r"README.md is damaged"):
        unpack(made, tmp_path / "out", most_bytes=20_000)
    assert not (tmp_path / "out/README.md").exists()
    assert sum(len(data) for data in contents(tmp_path / "out").values()) < 50_000


def test_other_files_are_no_archives(tmp_path):
    with pytest.raises(ConfigError, match="no such archive"):
        read_package(tmp_path / "x.zip")
    (tmp_path / "x.zip").write_text("no zip")
    with pytest.raises(ConfigError, match="not an archive of modelstress, or damaged"):
        read_package(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr("datapackage.json", json.dumps({"resources": []}))
    with pytest.raises(ConfigError, match="not an archive of modelstress"):
        read_package(tmp_path / "y.zip")
    pack(tmp_path / "z.zip", FILES, {**ABOUT, KEY: {"format": 9}})
    with pytest.raises(ConfigError, match="format 9"):
        read_package(tmp_path / "z.zip")


@pytest.mark.parametrize("field", ["study", "profile", "captured"])
@pytest.mark.parametrize(
    "name", ["x$(touch PWNED)", "a b", "-x", "../x", "", 7, "x\n", "x" + "`id`" * 900]
)
def test_names_that_are_shell_text_are_refused_before_anything_is_written(
    made, tmp_path, field, name
):
    def change(package, members, infos):
        package[KEY][field] = name

    evil = rewritten(made, change)
    if field == "captured" and name == "":
        read_package(evil)  # no captured profile
        return
    for attack in (lambda: read_package(evil), lambda: unpack(evil, tmp_path / "out")):
        with pytest.raises(ConfigError, match=f"modelstress.{field}' is ") as said:
            attack()
        assert len(str(said.value)) < 500
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("size", [-52_000_000, float("inf"), 8.0, "8", True, None])
def test_a_size_that_is_none_cannot_cancel_a_huge_one(made, tmp_path, size):
    def bomb(package, members, infos):
        for resource in package["resources"]:
            if resource["path"] == "README.md":
                resource["bytes"] = size
        members["data/raw/s/p/cdo/c/i00/cell.json"] = bytes(50_000_000)
        package["resources"][1]["bytes"] = 50_000_000

    rewritten(made, bomb)
    with pytest.raises(ConfigError, match="not an archive of modelstress, or damaged"):
        unpack(made, tmp_path / "out", most_bytes=20_000)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("names", [("a", "a/b"), ("x" * 300,), ("d/" + "y" * 260,)])
def test_names_that_no_disk_takes_are_a_sentence(tmp_path, names):
    pack(tmp_path / "x.zip", dict.fromkeys(names, b"x"), ABOUT)
    with pytest.raises((ConfigError, MeasureError), match=r"cannot be written|is damaged"):
        unpack(tmp_path / "x.zip", tmp_path / "out")

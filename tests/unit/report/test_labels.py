"""Labels of results in Snakemake's report."""

from matplotlib.figure import Figure

from modelstress.report.images import svg_of
from modelstress.report.labels import labels


def test_a_figure_is_labelled_by_the_caption_in_its_svg(tmp_path):
    caption = "Latency of <A> by threads (model b; c). Boxes."
    (tmp_path / "figure-02.svg").write_bytes(svg_of(Figure(), caption))
    told = labels(tmp_path / "figure-02.png")
    assert told == {"number": "Figure 2", "subject": "Latency of <A> by threads"}


def test_a_table_is_labelled_by_its_caption(tmp_path):
    text = "<table><caption><div><b>Table A1.</b> Bytes &amp; packets; of all.</div></caption>"
    (tmp_path / "table-A1.html").write_text(text, encoding="utf-8")
    told = labels(tmp_path / "table-A1.html")
    assert told == {"number": "Table A1", "subject": "Bytes & packets"}


def test_a_file_that_is_not_there_has_its_number_only(tmp_path):
    assert labels(tmp_path / "figure-10-b.png") == {"number": "Figure 10-b", "subject": ""}

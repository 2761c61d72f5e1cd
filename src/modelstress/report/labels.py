"""Labels of files of results in `snakemake --report`: number and subject of a figure or table."""

import re
from html import unescape
from pathlib import Path

MOST = 120
"""Characters of a subject."""
CAPTIONS = {
    ".svg": re.compile(r"<dc:title>(.*?)</dc:title>", re.DOTALL),
    ".html": re.compile(r"<caption[^>]*>.*?</b>(.*?)</caption>", re.DOTALL),
}
TAG = re.compile(r"<[^<>]*>")


def labels(file: Path) -> dict[str, str]:
    """Tells number and subject of a figure (by the SVG beside it) or of a table's page.

    Returns:
        `number`, such as ``Figure 2``, and `subject`, the beginning of the caption.
    """
    kind, _, number = file.stem.partition("-")
    told = {"number": f"{kind.capitalize()} {number.lstrip('0')}", "subject": ""}
    source = file.with_suffix(".svg") if file.suffix == ".png" else file
    if source.suffix in CAPTIONS and source.is_file():
        found = CAPTIONS[source.suffix].search(source.read_text(encoding="utf-8"))
        caption = " ".join(unescape(TAG.sub("", found[1])).split()) if found else ""
        subject = re.split(r"[;(]|\. ", caption, maxsplit=1)[0].strip().rstrip(".")
        told["subject"] = subject[:MOST]
    return told

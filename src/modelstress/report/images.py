"""Images of figures: SVG whose words are text, PNG, and what is seen of them; on pages."""

import base64
import io
import re
from collections.abc import Callable
from html import escape
from typing import NamedTuple

from matplotlib.figure import Figure

from modelstress.report.seen import Seen, seen
from modelstress.report.style import style

PNG_DPI = 160
LARGEST = 300_000
"""Bytes of an SVG above which pages show the PNG instead; both are written to files."""
LEAST, MOST = 0.8, 1.3
"""How far a page shrinks a figure, which then scrolls, and how far it widens one."""
_TAG = re.compile(r"<[^<>]*>")
_NAMED = re.compile(r"( id=\"|\"#|url\(#)")
_ABOUT = re.compile(r"<(metadata|title)>.*?</\1>\s*", re.DOTALL)
_WIDTH = re.compile(r'<svg [^<>]*?width="([\d.]+)pt"')
_SIZE = re.compile(r' (?:width|height)="[\d.]+pt"')


class Image(NamedTuple):
    """A drawn figure: `svg` and `png` as bytes, and what is `seen` of it."""

    svg: bytes
    png: bytes
    seen: Seen


def image_of(figure: Figure, caption: str) -> Image:
    """The images of a figure, and what is seen of it."""
    told = seen(figure)
    return Image(svg_of(figure, caption, told.alt), png_of(figure, caption), told)


def drawn_image(draw: Callable[[], Figure], caption: str) -> Image:
    """The images of a figure that is drawn for them only, and not kept."""
    return image_of(draw(), caption)


def svg_of(figure: Figure, caption: str, alt: str = "") -> bytes:
    """A figure as SVG without the date, so that it is the same at every run."""
    buffer = io.BytesIO()
    about = {"Date": None, "Title": caption, **({"Description": alt} if alt else {})}
    with style():
        figure.savefig(buffer, format="svg", metadata=about)
    # Spaces of words stand as they were laid out.
    return buffer.getvalue().replace(b"<svg ", b'<svg xml:space="preserve" ', 1)


def png_of(figure: Figure, caption: str) -> bytes:
    """A figure as PNG at 160 dots per inch."""
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Title": caption})
    return buffer.getvalue()


def embedded(image: Image) -> str:
    """An `<img>` with the image in it."""
    if len(image.svg) <= LARGEST:
        return _img(image.svg, "image/svg+xml", image.seen.alt)
    return _img(image.png, "image/png", image.seen.alt, _points_wide(image.svg))


def shown(figure: Figure, caption: str) -> tuple[str, Seen]:
    """A figure for a notebook, whose elements anybody may filter, and what is seen of it."""
    told = seen(figure)
    svg = svg_of(figure, caption, told.alt)
    png = png_of(figure, caption) if len(svg) > LARGEST else b""
    return embedded(Image(svg, png, told)), told


def inline(image: Image, name: str) -> str:
    """The SVG as an element of the page, its ids with `name` before them; a large one as PNG.

    Words in it are escaped already: matplotlib writes XML.
    """
    if len(image.svg) > LARGEST:
        return embedded(image)
    text = image.svg.decode("utf-8")
    wide = _points_wide(image.svg)
    text = _ABOUT.sub("", text[text.index("<svg ") :])
    head, _, rest = text.partition(">")
    label = f' role="img" aria-label="{escape(image.seen.alt)}"{_fitting(wide)}'
    return _TAG.sub(
        lambda tag: _NAMED.sub(rf"\g<1>{name}-", tag[0]), f"{_SIZE.sub('', head)}{label}>{rest}"
    ).strip()


def _img(data: bytes, media_type: str, alt: str, wide: float = 0) -> str:
    size = _fitting(wide) if wide else ""
    return (
        f'<img alt="{escape(alt)}"{size} decoding="async" '
        f'src="data:{media_type};base64,{base64.b64encode(data).decode("ascii")}">'
    )


def _fitting(points: float) -> str:
    """As wide as the page, but for the bounds of a figure of so many points."""
    pixels = 96 * points / 72
    return (
        f' style="width: 100%; min-width: {LEAST * pixels:.0f}px; max-width: {MOST * pixels:.0f}px"'
    )


def _points_wide(svg: bytes) -> float:
    found = _WIDTH.search(svg[:2000].decode("utf-8", errors="replace"))
    return float(found[1]) if found else 0.0

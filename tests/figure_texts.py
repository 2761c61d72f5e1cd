"""Looking at figures as they are drawn: their texts, and whether one covers another."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def drawn(figure):
    FigureCanvasAgg(figure).draw()
    return figure


def assert_no_overlap(figure):
    """No two visible texts cover each other, and none leaves the figure."""
    renderer = drawn(figure).canvas.get_renderer()
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
    placed = [(t, t.get_window_extent(renderer)) for t in texts]
    # Tick labels outside the view have an extent but are not drawn.
    hidden = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
        if tick not in axis._update_ticks() or not axes.axison
    }
    placed = [(t, box) for t, box in placed if t not in hidden and box.width > 0]
    assert len(placed) > 4
    for i, (text, box) in enumerate(placed):
        assert box.x0 > -1 and box.x1 < figure.bbox.x1 + 1, text.get_text()
        assert box.y0 > -1 and box.y1 < figure.bbox.y1 + 1, text.get_text()
        for other, place in placed[i + 1 :]:
            wide = min(box.x1, place.x1) - max(box.x0, place.x0)
            high = min(box.y1, place.y1) - max(box.y0, place.y0)
            assert wide < 1 or high < 1, f"{text.get_text()!r} covers {other.get_text()!r}"


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text)]


def assert_one_scale(figure):
    """All panels of a figure have one scale, which the axis says where it is a log scale."""
    panels = [axes for axes in figure.axes if axes.get_visible() and axes.axison]
    for which in ("x", "y"):
        titled = [getattr(axes, f"get_{which}label")() for axes in panels]
        titled += [text.get_text() for text in figure.texts]
        titled += [text.get_text() for text in (figure._supxlabel, figure._supylabel) if text]
        scales = {getattr(axes, f"get_{which}scale")() for axes in panels if axes.has_data()}
        # Quantities that differ (latency, and CPU below it) have a panel with a title each.
        own = [title for title in titled[: len(panels)] if title]
        assert len(scales) <= 1 or len(set(own)) == len(panels), titled
        counted = which == "x" and "client threads" in titled  # a tick at every level
        if "log" in scales and not counted:
            assert any("log scale" in title for title in titled), titled

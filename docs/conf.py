"""How Sphinx makes the site of these pages: ``make site``.

Notebooks and pages come as they are: nothing is executed, so that building takes seconds; the
workflow executes notebooks and a test those of the tutorials.
"""

from typing import Any

from sphinx.application import Sphinx

project = "modelstress"
author = "The modelstress contributors"
language = "en"
extensions = ["myst_nb"]
nb_execution_mode = "off"
myst_heading_anchors = 4
html_theme = "furo"
html_title = "modelstress"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def level(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Captions of the navigation are headings, and Sphinx does not say of which level."""
    tree, said = context.get("furo_navigation_tree", ""), 'role="heading"'
    context["furo_navigation_tree"] = tree.replace(said, f'{said} aria-level="2"')


def setup(app: Sphinx) -> None:
    """Correct what pages get after the theme has made it."""
    app.connect("html-page-context", level, priority=900)

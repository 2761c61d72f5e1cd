"""How Sphinx makes the site of these pages: ``make site``.

Notebooks and pages come as they are: nothing is executed, so that building takes seconds; the
workflow executes notebooks and a test those of the tutorials.
"""

project = "modelstress"
author = "The modelstress contributors"
language = "en"
extensions = ["myst_nb"]
nb_execution_mode = "off"
myst_heading_anchors = 4
html_theme = "furo"
html_title = "modelstress"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

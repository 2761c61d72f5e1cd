"""How executed notebooks become pages: nothing of what was recorded is executed there.

Sentences are Markdown, which may hold HTML; what is in them (names of machines, titles, messages)
comes with a dataset, from anybody. Tags other than those of plain text are shown as words. HTML of
tables and figures is this program's own and escapes what it shows.
"""

import re

from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbformat.v4 import new_markdown_cell

FOREIGN_LINK = re.compile(r"\](?=\((?!https?://|[\w./#-]+\))|\s*:|\s*\[)")
"""The end of a link's text, where its target is neither on the web nor a file beside the page."""


class PlainWords(SanitizeHTML):
    """Shows tags, and links that could be a script, as the words that they are."""

    def preprocess(self, nb, resources):
        """A page that begins with links to the report and to the notebook itself."""
        nb, resources = super().preprocess(nb, resources)
        name = resources["metadata"]["name"]
        links = f"[All results](../report.html) · [this notebook with its code]({name}.ipynb)"
        nb.cells.insert(0, new_markdown_cell(links, id="links"))
        return nb, resources

    def sanitize_html_tags(self, html_str):
        """A sentence without tags and without such links."""
        return FOREIGN_LINK.sub(r"\]", super().sanitize_html_tags(html_str))


c = get_config()  # noqa: F821

c.HTMLExporter.preprocessors = [PlainWords]
# No notebook has formulas: nothing is loaded that makes some of words between dollars.
c.HTMLExporter.mathjax_url = "data:,"
# Nothing is loaded from another host.
c.HTMLExporter.require_js_url = "data:,"
c.HTMLExporter.jquery_url = "data:,"
# Readers of pages see results; the code, with its paths, is in the notebook.
c.TemplateExporter.exclude_input = True
c.TemplateExporter.exclude_input_prompt = True
c.TemplateExporter.exclude_output_prompt = True
c.PlainWords.enabled = True
c.PlainWords.sanitized_output_types = {"text/markdown"}
c.PlainWords.safe_output_keys = {
    "application/json",
    "image/jpeg",
    "image/png",
    "image/svg+xml",
    "metadata",
    "text/html",
    "text/latex",
    "text/plain",
}
c.PlainWords.tags = ["b", "br", "code", "em", "i", "strong", "sub", "sup"]
c.PlainWords.attributes = {}

"""The Sphinx extension `pagekin.sphinx`: adds related pages below the text of each page."""

from pathlib import Path
from urllib.parse import urlsplit

from sphinx.errors import ExtensionError

from pagekin import plugin

BUILDERS = ("html", "dirhtml")
#: Generated pages, which are not useful as results.
EXCLUDED = ["genindex.html", "search.html", "py-modindex.html", "genindex/**", "search/**"]
#: Templates of the search in themes: alabaster and others, furo.
SEARCHES = ("searchbox.html", "sidebar/search.html")
STYLE = """<style>
pagekin-related:not([data-state="empty"], [data-state="error"]) { display: block; margin-block-start: 2.5em; }
pagekin-related:not(:defined) { min-block-size: 14rem; }
pagekin-related [part~="list"] { margin: 0; padding: 0; }
pagekin-related, pagekin-box { --pagekin-background: var(--color-background-primary, canvas); }
pagekin-box { padding: .5rem 1rem; }
</style>"""


def setup(app):
    """Registers the extension."""
    app.add_config_value("pagekin_related", True, "html", (bool, dict))
    app.add_config_value("pagekin_box", False, "html", (bool, dict))
    app.add_config_value("pagekin_build", {}, "", (dict,))
    app.connect("config-inited", _configure)
    app.connect("html-page-context", _add)
    app.connect("build-finished", _index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _elements(app):
    config = app.config
    related = plugin.attributes(config.pagekin_related, plugin.RELATED)
    box = plugin.attributes(config.pagekin_box, plugin.BOX)
    return {name: of for name, of in [("related", related), ("box", box)] if of is not None}


def _configure(app, config):
    config.templates_path = [*config.templates_path, str(Path(__file__).parent / "templates")]


def _add(app, pagename, templatename, context, doctree):
    if app.builder.name not in BUILDERS:
        return
    elements = _elements(app)
    scripts = "".join(
        f'<script type="module" src="{context["pathto"](f"{plugin.FOLDER}/{name}.js", 1)}"></script>'
        for name in elements
    )
    context["metatags"] = context.get("metatags", "") + STYLE + scripts
    # Other pages, such as the general index, have no text.
    if doctree is not None and "related" in elements and "body" in context:
        context["body"] += plugin.element("pagekin-related", elements["related"])
    if "box" in elements:
        context["pagekin_box"] = plugin.element("pagekin-box", elements["box"])
        context["sidebars"] = [
            "pagekin-box.html" if name in SEARCHES else name for name in context.get("sidebars") or []
        ]


def _index(app, exception):
    if exception is not None or app.builder.name not in BUILDERS:
        return
    base = urlsplit(app.config.html_baseurl).path or "/" if app.config.html_baseurl else None
    # pagekin warns about globs that match nothing.
    site = Path(app.outdir)
    excluded = [glob for glob in EXCLUDED if (site / glob.replace("/**", "")).exists()]
    given = app.config.pagekin_build
    build = {**given, "exclude": [*excluded, *given.get("exclude", [])]}
    try:
        plugin.index(str(site), base, build, list(_elements(app)))
    except (OSError, RuntimeError) as error:
        raise ExtensionError(f"pagekin: {error}") from error

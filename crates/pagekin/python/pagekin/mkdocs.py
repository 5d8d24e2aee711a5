"""The MkDocs plugin `pagekin`: adds related pages below the text of each page."""

import re
from urllib.parse import urlsplit

from mkdocs.config import base, config_options
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority

from pagekin import plugin

STYLE = """<style>
pagekin-related:not([data-state="empty"], [data-state="error"]) { display: block; margin-block-start: 2.5em; }
pagekin-related:not(:defined) { min-block-size: 14rem; }
pagekin-box {
  --pagekin-background: var(--md-default-bg-color);
  --pagekin-mark: var(--md-typeset-mark-color);
  font-size: .7rem;
}
html pagekin-box [part~="dialog"] { color: var(--md-default-fg-color); font-size: .8rem; }
pagekin-box [part~="dialog"] a { color: var(--md-typeset-a-color); }
.md-header > .md-header__inner > pagekin-box { margin-inline: .4rem; --pagekin-background: transparent; }
html .md-header pagekin-box [part~="dialog"] { background: var(--md-default-bg-color); }
</style>
"""


class Options(base.Config):
    """The options of the plugin in `mkdocs.yml`."""

    related = config_options.Type((bool, dict), default=True)
    box = config_options.Optional(config_options.Type((bool, dict)))
    build = config_options.Type(dict, default={})


class PagekinPlugin(BasePlugin[Options]):
    """Adds elements to pages, and indexes the built site."""

    def on_startup(self, *, command, dirty):
        self.is_served = command == "serve"

    def on_config(self, config):
        has_search = any(name.split("/")[-1] == "search" for name in config.plugins)
        box = self.config.box
        self.related = plugin.attributes(self.config.related, plugin.RELATED)
        self.box = plugin.attributes(not has_search if box is None else box, plugin.BOX)
        self.elements = [
            name for name, on in [("related", self.related), ("box", self.box)] if on is not None
        ]
        if not self.is_served:
            for name in self.elements:
                script = ExtraScriptValue(f"{plugin.FOLDER}/{name}.js")
                script.type = "module"
                config.extra_javascript.append(script)
        return config

    def on_page_content(self, html, *, page, config, files):
        if self.related is None or "<pagekin-related" in html:
            return html
        return html + plugin.element("pagekin-related", self.related)

    # Runs after other plugins, which may extend the header.
    @event_priority(-100)
    def on_post_page(self, output, *, page, config):
        head = STYLE
        if self.is_served:
            head += f"<script>console.info({plugin.NO_INDEX!r})</script>\n"
        output = output.replace("</head>", f"{head}</head>", 1)
        if self.box is None or "<pagekin-box" in output:
            return output
        box = plugin.element("pagekin-box", self.box)
        # The position of the search in Material.
        return re.sub(
            r'(<nav class="md-header__inner.*?)(<div class="md-header__source">|</nav>)',
            lambda found: f"{found[1]}{box}{found[2]}",
            output,
            count=1,
            flags=re.DOTALL,
        )

    @event_priority(-100)
    def on_post_build(self, *, config):
        if self.is_served:
            return
        base_url = urlsplit(config.site_url).path or "/" if config.site_url else None
        try:
            plugin.index(config.site_dir, base_url, self.config.build, self.elements)
        except (OSError, RuntimeError) as error:
            raise PluginError(f"pagekin: {error}") from error

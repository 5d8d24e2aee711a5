project = "Style rules"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Style rules"
templates_path = ["_templates"]
html_css_files = ["related.css"]
html_static_path = ["_static"]
suppress_warnings = ["myst", "misc.highlighting_failure"]

project = "Style rules"
extensions = ["myst_parser", "pagekin.sphinx"]
html_theme = "furo"
pagekin_box = True
html_title = "Style rules"
suppress_warnings = ["myst", "misc.highlighting_failure"]

"""Code that the plugins for MkDocs and Sphinx share."""

import os
import subprocess
from html import escape
from typing import Any, Dict, List, Mapping, Optional, Union

from pagekin import find_program

#: Folder of the index, relative to the site's.
FOLDER = "pagekin"
RELATED = {"limit": 5}
BOX = {"form": "compact", "shortcut": "mod+k"}
#: The console message on a development server, which has no index.
NO_INDEX = "pagekin: this server has no index, so it shows no related pages. The built site does."


def attributes(given: Union[bool, Mapping[str, Any]], usual: Mapping[str, Any]) -> Optional[Dict]:
    """Returns the attributes of an element for an option: true, false or a mapping of attributes."""
    if given is False or given is None:
        return None
    return {**usual, **({} if given is True else given)}


def element(name: str, all_: Mapping[str, Any]) -> str:
    """Returns the HTML of an element. True attributes have no value, false ones are omitted."""
    text = "".join(
        f" {key}" if value is True else f' {key}="{escape(str(value))}"'
        for key, value in all_.items()
        if value is not False
    )
    return f"<{name}{text}></{name}>"


def flags(build: Mapping[str, Any], elements: List[str]) -> List[str]:
    """Returns the command-line options of `pagekin build`."""
    given = build.get("components", [])
    components = [given] if isinstance(given, str) else list(given)
    components += [name for name in elements if name not in components]
    out = [f"--components={','.join(components) or 'none'}"]
    for key, value in build.items():
        name = key.replace("_", "-")
        if name == "components":
            continue
        if isinstance(value, bool):
            out.append(f"--{name}" if value else f"--no-{name}")
        else:
            many = value if isinstance(value, (list, tuple)) else [value]
            out += [f"--{name}={one}" for one in many]
    return out


def index(site: str, base: Optional[str], build: Mapping[str, Any], elements: List[str]) -> None:
    """Runs `pagekin build` on a finished site."""
    program = os.environ.get("PAGEKIN_BINARY") or os.fspath(find_program())
    command = [program, "build", site, "--output", os.path.join(site, FOLDER)]
    if base is not None:
        command += ["--base-url", base]
    code = subprocess.run(command + flags(build, elements), check=False).returncode
    if code != 0:
        raise RuntimeError(
            f"`pagekin build {site}` failed with exit code {code}; see its output above"
        )

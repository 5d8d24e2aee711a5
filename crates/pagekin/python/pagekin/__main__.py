"""`python -m pagekin`: replaces this process with the program."""

import os
import subprocess
import sys

from pagekin import find_program

program = os.fspath(find_program())
if sys.platform == "win32":
    try:
        sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
    except KeyboardInterrupt:
        sys.exit(2)
os.execvp(program, [program, *sys.argv[1:]])

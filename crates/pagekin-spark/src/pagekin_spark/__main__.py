"""Runs the command for `python -m pagekin_spark`."""

import sys

from .command import main

sys.exit(main())

"""``python -m novikoff.cli`` is the `novikoff` command."""

from novikoff.cli import main

main()

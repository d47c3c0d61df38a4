"""``python -m novikoff`` is the `novikoff` command."""

from novikoff.cli import main

main()

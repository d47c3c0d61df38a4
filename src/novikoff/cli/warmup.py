"""``novikoff warmup``: compile before anyone waits for it."""

from novikoff.cli.shared import options
from novikoff.cli.shared.screen import Screen


def warmup(json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Compile everything that fits use, once, for an image or a shared installation.

    Compiled code is kept beside the package, or where NUMBA_CACHE_DIR points, or in a cache folder
    of the user. Other users read it there, also where they cannot write. It is for this model of
    processor: on another one, the first fit compiles again.
    """
    with Screen(quiet=quiet, json=json) as screen:
        screen.stage("importing")

        from novikoff.certificate.compiler import cache_folders, processor
        from novikoff.estimators.warmup import warmup as compile_all

        count, folders = compile_all(), cache_folders()
        rows = [
            ("Compiled", f"{count} functions" if count else "nothing: all of it was there"),
            ("Processor", processor()),
            ("Kept in", "\n".join(folders) or "no folder: none can be written"),
            ("Time", f"{screen.seconds:.1f} s"),
        ]
        document = {
            "compiled": count,
            "processor": processor(),
            "folders": folders,
            "seconds": screen.seconds,
        }
        screen.show(rows, document)

"""numba's ``njit`` with a cache that works in every installation.

numba looks for a folder that it can write: ``NUMBA_CACHE_DIR``, then the ``__pycache__`` beside the
source, then a cache folder of the user. Where there is none, as in a container without a home, it
raises at the import; and it does not read a folder that it cannot write. Here

- a folder that cannot be written is read, so that what ``novikoff warmup`` compiled while an image
  was built serves every user of the image;
- what is compiled beyond that goes where numba would put it, or else into a folder of the user
  among the temporary files, or else is not kept. A line in the log says so;
- a damaged file is compiled again, and no error.

Compiled code is for one processor model: another one compiles again.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import caching, event, runtime

from novikoff.certificate.announce import compilations, logger
from novikoff.certificate.code_files import temporary_folder, used_folders
from novikoff.certificate.interrupts import defer_interrupts

# numba has types for some of its names only.
_njit: Any = numba.njit
_numba: Any = caching
_events: Any = event
_config: Any = numba.config
_runtime: Any = runtime

Function = Callable[..., Any]


def dispatcher(function: Function, *, inner: bool, **options: Any) -> Any:
    """Return numba's function for :func:`novikoff.certificate.kernels.njit`."""
    made = _njit(
        nogil=True,
        error_model="numpy",
        no_cpython_wrapper=inner,
        no_cfunc_wrapper=True,
        **options,
    )(function)
    if os.path.exists(function.__code__.co_filename):
        made._cache = KernelCache(function)
    made.compile = defer_interrupts()(made.compile)
    return made


class KernelCache(caching.NullCache):
    """Compiled code of one function: read where it was prepared, or read and written."""

    def __init__(self, function: Function) -> None:
        self._function = function
        _caches.append(self)

    # Looked for when the function is first called: few functions of the package are.
    @cached_property
    def _prepared(self) -> list[Any]:
        return _prepared(self._function)

    @cached_property
    def _writable(self) -> tuple[Any, str]:
        return _writable(self._function)

    @property
    def cache_path(self) -> str | None:
        """The folder that is written; None if there is none."""
        path: str | None = self._writable[0].cache_path
        return path

    @property
    def folders(self) -> set[str]:
        """The folders that are read."""
        caches = (*self._prepared, self._writable[0])
        return {cache.cache_path for cache in caches if cache.cache_path is not None}

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Read compiled code; None if there is none."""
        own, _ = self._writable
        for cache in (*self._prepared, own):
            try:
                found = cache.load_overload(sig, target_context)
            except OSError:
                continue  # A folder may be there and not be readable.
            except Exception as error:
                # Reading a damaged pickle may raise anything.
                _say_once(
                    f"Compiled code in {cache.cache_path} is damaged ({type(error).__name__}): "
                    "it is compiled again."
                )
                if cache is own:
                    with contextlib.suppress(OSError):
                        cache.flush()
                continue
            if found is not None:
                return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, where that is possible."""
        own, problem = self._writable
        if problem:
            _say_once(problem)
        try:
            own.save_overload(sig, data)
        except OSError as error:
            _say_once(f"Compiled code is not kept in {self.cache_path}: {error.strerror or error}.")


def cache_folders() -> list[str]:
    """Return the folders that hold compiled code of the functions imported so far."""
    return sorted(used_folders.union(*(cache.folders for cache in _caches)))


def processor() -> str:
    """Return the model of processor that is compiled for, as LLVM names it."""
    return str(llvmlite.binding.get_host_cpu_name())


_caches: list[KernelCache] = []


class _Files(_numba.CompileResultCacheImpl):
    """numba's files; what they hold of a function is also kept for :func:`payload`."""

    def reduce(self, cres: Any) -> Any:
        cres.library.novikoff_payload = payload = super().reduce(cres)
        return payload

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        cres = super().rebuild(target_context, payload)
        cres.library.novikoff_payload = payload
        return cres


def payload(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """Compile for these arguments; return what numba's files hold of it, once; None if nothing."""
    types = tuple(map(dispatcher.typeof_pyval, arguments))
    dispatcher.compile(types)
    compiled = dispatcher.overloads.get(types)
    return None if compiled is None else vars(compiled.library).pop("novikoff_payload", None)


class _Reader(_numba.FunctionCache):
    """numba's cache, which reads compiled code without preparing the compiler.

    numba prepares it for every use of the cache: it imports and registers whatever it can compile,
    which takes ten times as long as reading the code of a fit. Code that is compiled needs only the
    functions of numba's runtime that are written in C: those that numba compiles, which count
    references, are part of it. To compile anything prepares the compiler in any case.
    """

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _name_runtime_functions()
        return self._load_overload(sig, target_context)


@lru_cache(maxsize=1)
def _name_runtime_functions() -> None:
    """Tell LLVM where the functions of numba's runtime are, as numba does."""
    for name, address in _runtime.nrt._nrt.c_helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class _ReadOnly:
    """Makes a locator accept a folder that cannot be written."""

    def ensure_cache_path(self) -> None:
        path = self.get_cache_path()  # type: ignore[attr-defined]
        if not os.path.isdir(path) or os.access(path, os.W_OK):
            raise OSError("not a folder that can only be read")


def _reader(locator: type) -> type[Any]:
    """Return the cache that reads the folder of this locator."""
    read_only = type("ReadOnly", (_ReadOnly, locator), {})
    files = type("Files", (_Files,), {"_locator_classes": [read_only]})
    return type("Reader", (_Reader,), {"_impl_class": files})


# The first two are NUMBA_CACHE_DIR and the folder beside the source, in every release of numba.
_READERS = tuple(map(_reader, _numba.CompileResultCacheImpl._locator_classes[:2]))


def _prepared(function: Function) -> list[Any]:
    """Return caches that can be read but not written."""
    found = []
    for reader in _READERS:
        # numba raises this where no locator accepts its folder.
        with contextlib.suppress(RuntimeError):
            found.append(reader(function))
    return found


def _writable(function: Function) -> tuple[Any, str]:
    """Return the cache to write, and what to say about it when it is used."""
    with contextlib.suppress(RuntimeError):
        return _Reader(function), ""
    why = "neither the folder of the package nor a cache folder of the user can be written"
    cure = "Set NUMBA_CACHE_DIR, or run `novikoff warmup` where the package is installed."
    folder = temporary_folder()
    if folder is not None:
        said = f"Compiled code is kept in {folder}: {why}. {cure}"
        with _cache_dir(folder), contextlib.suppress(RuntimeError):
            return _Reader(function), said
    said = f"Compiled code is not kept, every process compiles again: {why}. {cure}"
    return _numba.NullCache(), said


@contextlib.contextmanager
def _cache_dir(folder: Path) -> Iterator[None]:
    """Let numba's setting name this folder for a while."""
    before, _config.CACHE_DIR = _config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        _config.CACHE_DIR = before


_said: set[str] = set()


def _say_once(line: str) -> None:
    if line not in _said:
        _said.add(line)
        logger.warning(line)


class _Listener(event.Listener):
    """Counts the compilations of this package's functions."""

    def on_start(self, event: Any) -> None:
        if _is_ours(event):
            compilations.begin()

    def on_end(self, event: Any) -> None:
        if _is_ours(event):
            compilations.end()


def _is_ours(event: Any) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("novikoff.")


_events.register("numba:compile", _Listener())

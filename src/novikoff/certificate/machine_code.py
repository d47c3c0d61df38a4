"""Compiled code in files: called without importing numba, written where numba has compiled it.

What numba compiles is an object file. It contains a function by which Python calls it, in the
manner of functions that are written in C, and refers to functions of numba's runtime, which are in
three modules written in C. LLVM loads it; nothing else of numba is needed, and to import that takes
longer than a first fit. A file lists the symbols that its code refers to. Where one of them is
unknown, or anything is not as expected, numba is imported and does the work.
"""

import builtins
import ctypes
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any, NamedTuple

from novikoff.certificate.announce import logger
from novikoff.certificate.code_files import CodeFile, numba_folder

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names of the variables begin that point to constants of compiled functions."""

UNEXPECTED = (
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.PickleError,
)
"""Raised where a release of numba has other insides. Then it is imported and does the work."""


class Code(NamedTuple):
    """The compiled code of a function for one list of types."""

    object_code: bytes
    wrapper: str
    environment: str
    constants: dict[str, list[Any]]
    symbols: list[str]


def load(file: CodeFile, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return a function that calls the code in a file; None if that cannot be used."""
    if not _can_link():
        return None
    try:
        stored = file.read()
        return None if stored is None else _linked(Code(*stored), function)
    except UNEXPECTED as error:
        logger.debug("%s cannot be used without numba: %r", file.name, error)
        return None


def _linked(code: Code, function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return a function that calls the code; None if it refers to something unknown."""
    llvm = _llvm()
    # To make an engine lets LLVM find the functions of Python, too.
    engine = _new_engine()
    if not all(map(llvm.address_of_symbol, code.symbols)):
        return None
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.object_code))
    engine.finalize_object()
    c_functions = _c_module("_dynfunc")
    module = sys.modules[function.__module__]
    environments = {}
    for name, constants in code.constants.items():
        environments[name] = c_functions.Environment(vars(module))
        environments[name].consts.extend(constants)
        pointer = ctypes.c_void_p.from_address(_address(engine.get_global_value_address(name)))
        pointer.value = id(environments[name])
    made: Callable[..., Any] = c_functions.make_function(
        module,
        function.__name__,
        function.__doc__ or "",
        _address(engine.get_function_address(code.wrapper)),
        environments[code.environment],
        # What the code needs for as long as it may be called.
        (engine, environments),
    )
    return made


def _address(found: int) -> int:
    if not found:
        raise ValueError("The object file lacks a name.")
    return found


def store(file: CodeFile, payload: Any) -> None:
    """Keep what numba keeps of a compiled function, if it can be read without it."""
    try:
        code = _read_payload(*payload)
    except UNEXPECTED as error:
        # Another release of numba, in which it has another form.
        logger.debug("%s cannot be read without numba: %r", file.name, error)
        return
    if code is not None:
        file.write(tuple(code))


def _read_payload(
    library: Any,
    descriptor: Any,
    environment: Any,
    signature: Any,
    objectmode: Any,
    lifted: Any,
    annotation: Any,
    reload_init: Any,
    environments: Any,
) -> Code | None:
    """Return the code; None if it needs more than :func:`load` provides."""
    _, kind, (object_code, bitcode) = library
    constants = {each.env_name: list(each.consts) for each in (environment, *environments)}
    if kind != "object" or objectmode or lifted or reload_init:
        return None
    if b"numba" in pickle.dumps(list(constants.values())):
        return None
    llvm = _llvm()
    module = llvm.parse_bitcode(bitcode)
    symbols = [
        each.name
        for each in (*module.functions, *module.global_variables)
        if each.is_declaration and not each.name.startswith("llvm.")
    ]
    if not all(map(llvm.address_of_symbol, symbols)):
        return None
    wrapper = descriptor.llvm_cpython_wrapper_name
    return Code(object_code, wrapper, environment.env_name, constants, symbols)


def _can_link() -> bool:
    """Whether modules of numba can be loaded: not while another thread may be importing it.

    Then numba is imported, which waits for that thread. Once they are loaded, they stay so.
    """
    loaded: Any = _llvm
    return loaded.cache_info().currsize > 0 or threading.active_count() == 1 or has_numba()


def has_numba() -> bool:
    """Whether numba is imported, and not only being imported."""
    spec = getattr(sys.modules.get("numba"), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


@cache
def _llvm() -> Any:
    """Return LLVM, which knows where the functions are that compiled code calls."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in _symbols():
        llvm.add_symbol(name, address)
    return llvm


def _symbols() -> Iterator[tuple[str, int]]:
    """Yield what numba tells LLVM: the addresses of its C functions, exceptions, and None."""
    for name, address in _c_module("core.runtime._nrt_python").c_helpers.items():
        yield (name if name.startswith("_") else f"NRT_{name}"), address
    for module in ("_helperlib", "_dynfunc"):
        for name, address in _c_module(module).c_helpers.items():
            yield f"numba_{name}", address
    yield "_Py_NoneStruct", id(None)
    for each in vars(builtins).values():
        if isinstance(each, type) and issubclass(each, BaseException):
            yield f"PyExc_{each.__name__}", id(each)


def _new_engine() -> Any:
    """Return an engine of LLVM for one object file: names of several may be equal."""
    llvm = _llvm()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _c_module(name: str) -> ModuleType:
    """Import a module of numba that is written in C, and nothing else of numba."""
    full_name = f"numba.{name}"
    folder = numba_folder()
    if has_numba() or folder is None:
        return import_module(full_name)
    path = os.path.join(folder, *name.split("."))
    for suffix in EXTENSION_SUFFIXES:
        if os.path.exists(path + suffix):
            loader = ExtensionFileLoader(full_name, path + suffix)
            spec = spec_from_file_location(full_name, path + suffix, loader=loader)
            assert spec is not None
            module = module_from_spec(spec)
            loader.exec_module(module)
            # numba imports it in its own way, into its package.
            sys.modules.pop(full_name, None)
            return module
    return import_module(full_name)

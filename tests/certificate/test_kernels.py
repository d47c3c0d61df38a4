"""The package starts where nothing can be written, and compiled code is shared by its users."""

import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import novikoff
from novikoff.certificate import code_files
from novikoff.certificate.announce import COMPILING, Compilations, announcing

# One small kernel, which takes less time to compile than those of a fit.
KERNEL = """
import numpy as np
from novikoff.certificate.announce import compilations
from novikoff.compiled.kernel import raise_to
values = np.full((1, 1), 3.0)
raise_to(values, 2)
assert values[0, 0] == 9.0
print(compilations.count)
"""
FIT = """
import numpy as np
from novikoff import Perceptron
X = np.array([[0.0, 1.0], [1.0, 2.0], [4.0, 0.0], [5.0, 1.0]])
print(Perceptron(random_state=0).fit(X, [0, 0, 1, 1]).predict(X))
"""
ARRAYS = """
import sys
import numpy as np
from novikoff.certificate.kernels import njit
@njit()
def filled(n, value):
    made = np.empty(n)
    for i in range(n):
        made[i] = value
    return made
assert filled(3, 2.0).tolist() == [2.0, 2.0, 2.0]
print("dispatcher" in vars(filled))
import numba
assert numba.njit(filled.py_func)(2, 3.0).tolist() == [3.0, 3.0]
assert filled(4, 5.0).sum() == 20.0
"""
IN_THREADS = """
import threading, time
def own():
    import numba
    numba.njit(lambda x: x + 1)(1)
thread = threading.Thread(target=own)
thread.start()
time.sleep({delay})
{kernel}
thread.join()
import numba
print(numba.njit(lambda x: x + 1)(1))
"""
NOWHERE = "import tempfile; tempfile.tempdir = {!r}\n"


@pytest.fixture
def installed(tmp_path):
    """A copy of the package without compiled code, in a folder that its owner can write."""
    folder = tmp_path / "site-packages"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(novikoff.__file__).parent, folder / "novikoff", ignore=ignored)
    yield folder
    change_mode(folder, 0o755)


def change_mode(folder, mode):
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        path.chmod(mode)


def child(code, folder, **environment):
    """Run code with the package of a folder; a home that is not there, and no cache folder."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT")}
    home = str(folder / "home")
    settings = {"HOME": home, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*without_privileges(), sys.executable, "-c", code]
    done = subprocess.run(
        command,
        env=kept | settings | environment,
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.splitlines()


def without_privileges():
    """The start of a command that runs under the permissions of files, also for root."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions of folders differ on this system")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and setpriv is not installed")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def test_a_fit_where_nothing_can_be_written(installed):
    change_mode(installed, 0o555)
    out, lines = child(NOWHERE.format(str(installed)) + FIT, installed)
    assert out == "[0 0 1 1]"
    assert lines[0] == COMPILING
    assert lines[1].startswith("Compiled code is not kept, every process compiles again: ")
    assert len(lines) == 2


def test_a_folder_among_the_temporary_files(installed, tmp_path):
    change_mode(installed, 0o555)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    first, lines = child(KERNEL, installed, TMPDIR=str(temporary))
    assert int(first) > 0
    assert lines[0] == COMPILING
    assert lines[1].startswith(f"Compiled code is kept in {temporary}")
    assert len(lines) == 2
    assert child(KERNEL, installed, TMPDIR=str(temporary)) == ("0", [])
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    # What others can write is not read: it would be run.
    folder.chmod(0o777)
    again, lines = child(KERNEL, installed, TMPDIR=str(temporary))
    assert again == first
    assert lines[1].startswith("Compiled code is not kept")


@pytest.mark.parametrize("place", ["beside the source", "NUMBA_CACHE_DIR"])
def test_compiled_code_is_used_by_those_who_cannot_write_it(installed, tmp_path, place):
    cache = tmp_path / "cache"
    cache.mkdir()
    settings = {} if place == "beside the source" else {"NUMBA_CACHE_DIR": str(cache)}
    first, lines = child(KERNEL, installed, **settings)
    assert int(first) > 0
    assert lines == [COMPILING]
    for folder in (installed, cache):
        change_mode(folder, 0o555)
    assert child(KERNEL, installed, **settings) == ("0", [])
    change_mode(cache, 0o755)


def test_code_that_was_read_makes_arrays(installed, tmp_path):
    """It needs numba's runtime, which is compiled only when something else is."""
    file = tmp_path / "arrays.py"
    file.write_text(ARRAYS)
    run = f"import runpy; runpy.run_path({str(file)!r})"
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert child(run, installed, **settings) == ("True", [])
    assert child(run, installed, **settings) == ("False", [])


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [b"", b"no pickle"])
def test_damaged_files_are_compiled_again(installed, suffix, damage):
    """And are whole afterwards; a full disk or a loss of power leaves such files."""
    first, _ = child(KERNEL, installed)
    forget_code(installed)
    files = list(installed.rglob(f"*.{suffix}"))
    assert files
    for file in files:
        file.write_bytes(damage)
    again, lines = child(KERNEL, installed)
    assert again == first
    assert "is damaged" in lines[0]
    assert child(KERNEL, installed) == ("0", [])


def forget_code(folder):
    """Remove the files that are read without numba, and leave those of numba."""
    files = list(folder.rglob("*.code"))
    assert files
    for file in files:
        file.unlink()


IMPORTED = (
    KERNEL
    + """
import sys
print('numba' in sys.modules, 'numba.cpython.unicode' in sys.modules)
"""
)


def test_compiled_code_is_read_without_numba(installed):
    compiled, *answers = child(IMPORTED, installed)[0].split()
    assert int(compiled) > 0
    assert answers == ["True", "True"]
    assert child(IMPORTED, installed)[0].split() == ["0", "False", "False"]


def test_reading_the_files_of_numba_does_not_prepare_the_compiler(installed):
    child(KERNEL, installed)
    forget_code(installed)
    assert child(IMPORTED, installed)[0].split() == ["0", "True", "False"]
    # What numba has read is kept for those who read without it.
    assert child(IMPORTED, installed)[0].split() == ["0", "False", "False"]


def test_everyone_can_read_what_is_kept(installed):
    child("import os; os.umask(0o022)" + KERNEL, installed)
    files = list(installed.rglob("*.code"))
    assert files
    assert {file.stat().st_mode & 0o777 for file in files} == {0o644}


@pytest.mark.parametrize("damage", [b"", bytes(4), b"no code", None])
def test_damaged_code_is_taken_from_numba_again(installed, damage):
    child(KERNEL, installed)
    for file in installed.rglob("*.code"):
        content = file.read_bytes()
        # A byte of the machine code that is another one would be run.
        other = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
        file.write_bytes(other if damage is None else damage)
    out, lines = child(IMPORTED, installed)
    assert out.split() == ["0", "True", "False"]
    assert len(lines) == 1
    assert "is damaged" in lines[0]
    assert child(IMPORTED, installed)[0].split() == ["0", "False", "False"]


def test_code_under_another_name_is_not_run(installed):
    child(KERNEL, installed)
    (file,) = installed.rglob("kernel.raise_to*.code")
    content = file.read_bytes()
    name = file.name.encode()
    assert name in content
    body = content[4:].replace(name, name[::-1])
    file.write_bytes(zlib.crc32(body).to_bytes(4, "little") + body)
    assert child(IMPORTED, installed)[0].split() == ["0", "True", "False"]


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.15])
def test_code_is_read_while_another_thread_imports_numba(installed, delay):
    child(KERNEL, installed)
    out, lines = child(IN_THREADS.format(kernel=KERNEL, delay=delay), installed)
    assert (out, lines) == ("0\n2", [])


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners on this system")
def test_code_is_not_read_where_others_can_write(tmp_path):
    caches, source = tmp_path / "cache", tmp_path / "source.py"
    folder = caches / "novikoff" / "compiled"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(caches))
        assert str(folder) in code_files._folders(str(source))
        folder.mkdir(parents=True)
        assert str(folder) in code_files._folders(str(source))
        folder.chmod(0o777)
        assert str(folder) not in code_files._folders(str(source))


def test_code_of_another_source_is_compiled_again(installed):
    first, _ = child(KERNEL, installed)
    source = installed / "novikoff" / "compiled" / "kernel.py"
    source.write_text(source.read_text().replace("def raise_to", "# Another.\ndef raise_to"))
    assert child(KERNEL, installed)[0] == first
    assert child(KERNEL, installed) == ("0", [])


@pytest.mark.parametrize(
    "hindrance",
    [
        "import os; os.environ['NUMBA_OPT'] = '2'",
        "from novikoff.certificate import machine_code; machine_code._symbols = lambda: iter(())",
        "from novikoff.certificate import machine_code; machine_code._new_engine = None",
    ],
    ids=["settings of numba", "unknown symbols", "another release"],
)
def test_where_code_cannot_be_read_numba_does_the_work(installed, hindrance):
    child(KERNEL, installed)
    out, lines = child(hindrance + IMPORTED, installed)
    assert out.split()[1] == "True"
    assert "is damaged" not in "".join(lines)


def test_without_compiling(installed):
    """To debug, or to measure what tests cover, people turn the compiler off."""
    fit = """
import sys, warnings
import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from novikoff import MaxMargin, Perceptron, is_separable
warnings.simplefilter("error")
warnings.simplefilter("ignore", ConvergenceWarning)
rng = np.random.default_rng(0)
table = rng.integers(-5, 6, (60, 4)).astype(float)
labels, kinds = rng.random(60) > 0.5, np.argmax(table[:, :3], axis=1)
found = []
for X in (table, csr_array(table), table.astype(np.float32)):
    for y in (table[:, 0] > 0, labels, kinds):
        models = MaxMargin(), MaxMargin(C=1.0), Perceptron(max_iter=5, random_state=0)
        for model in models:
            model.fit(X, y).certificate_.verify(X, y)
            found += model.decision_function(X).sum(axis=0, keepdims=True).ravel().tolist()
    found.append(bool(is_separable(X, labels)))
    found += MaxMargin(C=1.0, kernel="rbf").fit(X, labels).decision_function(X[:2]).tolist()
print("numba" in sys.modules, *found)
"""
    off, *found = child(fit, installed, NUMBA_DISABLE_JIT="1")[0].split()
    _, *expected = child(fit, installed)[0].split()
    assert off == "False"
    assert list(map(_number, found)) == pytest.approx(list(map(_number, expected)), abs=1e-6)


def _number(text):
    return float(text == "True") if text in ("True", "False") else float(text)


def test_what_is_compiled_calls_what_was_read(installed):
    code = (
        KERNEL
        + """
from numba import njit
@njit
def twice_raised(values):
    raise_to(values, 2)
    raise_to(values, 2)
twice_raised(values)
assert values[0, 0] == 9.0**4
"""
    )
    child(KERNEL, installed)
    assert child(code, installed)[0] == "0"


def test_compilations_inside_of_others_are_announced_until_the_last_ends():
    lines = []
    with announcing(lines.append):
        compilations = Compilations()
        for step in ("begin", "begin", "end", "end", "begin", "end"):
            getattr(compilations, step)()
    assert compilations.count == 3
    many = [f"{COMPILING} ({count} functions)" for count in (2, 3)]
    assert lines == [COMPILING, many[0], None, many[1], None]

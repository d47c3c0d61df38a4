"""A file is written whole or not at all, whatever was there before and whatever goes wrong."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from novikoff.certificate import files
from novikoff.certificate.files import write_atomically

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes and locks of POSIX")

# Saves "new", but tells when it is about to finish, and waits for a line before it does.
SLOW_SAVE = """
import os, sys
from novikoff.certificate.files import write_atomically

sync = os.fsync
def wait(descriptor):
    print("writing", flush=True)
    sys.stdin.readline()
    sync(descriptor)

os.fsync = wait
write_atomically(sys.argv[1], "new")
"""


@pytest.fixture
def slow_save():
    """Start processes that are in the middle of saving a file."""
    started = []

    def start(path):
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW_SAVE, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_text_is_written(tmp_path):
    path = tmp_path / "proof.json"
    for text in ("old", "größer ‖w‖\n"):
        write_atomically(path, text)
        assert path.read_bytes() == text.encode()
    write_atomically(str(path), "")
    assert path.read_bytes() == b"" and names(tmp_path) == ["proof.json"]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o400, 0o777])
def test_the_mode_of_an_old_file_is_kept(tmp_path, mode):
    path = tmp_path / "proof.json"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_text() == "new"


@posix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_decides_on_a_new_file(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "proof.json", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "proof.json").stat().st_mode) == mode


@posix
def test_another_group_gains_nothing(tmp_path, monkeypatch):
    path = tmp_path / "proof.json"
    path.write_text("old")
    path.chmod(0o660)
    theirs = os.stat_result((0o100660, 1, 1, 1, os.getuid(), os.getgid() + 1, 3, 0, 0, 0))

    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(files, "_regular_file", lambda _: theirs)
    monkeypatch.setattr("os.fchown", refuse)
    write_atomically(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_what_is_no_regular_file_is_refused_and_stays(tmp_path):
    fifo, folder, server = tmp_path / "pipe", tmp_path / "folder", tmp_path / "socket"
    os.mkfifo(fifo)
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(fifo)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(server))
        before = names(tmp_path)
        for path in (fifo, server, link, Path("/dev/null")):
            with pytest.raises(OSError, match="not a regular file"):
                write_atomically(path, "new")
        with pytest.raises(IsADirectoryError):
            write_atomically(folder, "new")
    assert names(tmp_path) == before and stat.S_ISFIFO(fifo.stat().st_mode)
    assert not list(folder.iterdir())


@posix
def test_a_link_to_itself_is_refused(tmp_path):
    (tmp_path / "link").symlink_to("link")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127, "a" * 250 + ".json"])
def test_the_longest_names(tmp_path, name):
    for text in ("old", "new"):
        write_atomically(tmp_path / name, text)
        assert (tmp_path / name).read_text() == text
    assert names(tmp_path) == [name]


@posix
def test_a_process_that_is_killed_leaves_the_old_file_whole(tmp_path, slow_save):
    path = tmp_path / "proof.json"
    path.write_text("old")
    for _ in range(2):
        process = slow_save(path)
        process.send_signal(signal.SIGKILL)
        process.wait()
        # What the first one left, the second one has removed before it was killed.
        assert path.read_text() == "old" and len(names(tmp_path)) == 2
    other = tmp_path / "other.json"
    write_atomically(other, "else")
    assert len(names(tmp_path)) == 3
    write_atomically(path, "newer")
    assert path.read_text() == "newer" and names(tmp_path) == ["other.json", "proof.json"]


@posix
def test_a_process_that_still_writes_is_left_alone(tmp_path, slow_save):
    path = tmp_path / "proof.json"
    processes = [slow_save(path), slow_save(path)]
    write_atomically(path, "ours")
    assert path.read_text() == "ours" and len(names(tmp_path)) == 3
    for process in processes:
        process.communicate("go on\n")
        assert process.returncode == 0
        assert path.read_text() == "new"
    assert names(tmp_path) == ["proof.json"]


def test_many_threads_save_at_once(tmp_path):
    path = tmp_path / "proof.json"
    failed = []

    def save(number):
        try:
            for _ in range(20):
                write_atomically(path, str(number) * 10_000)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = path.read_text()
    assert not failed and text == text[0] * 10_000 and names(tmp_path) == ["proof.json"]


@posix
def test_a_temporary_file_taken_for_a_leftover_is_made_again(tmp_path, monkeypatch):
    """Another process may remove it between its creation and its lock."""
    lock, removed = files._lock, []

    def late(descriptor):
        if not removed:
            removed.append(*tmp_path.iterdir())
            removed[0].unlink()
        return lock(descriptor)

    monkeypatch.setattr(files, "_lock", late)
    write_atomically(tmp_path / "proof.json", "new")
    assert removed and (tmp_path / "proof.json").read_text() == "new"
    assert names(tmp_path) == ["proof.json"]


@posix
def test_without_locks_leftovers_stay_and_files_are_written(tmp_path, slow_save, monkeypatch):
    path = tmp_path / "proof.json"
    process = slow_save(path)

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    write_atomically(path, "ours")
    assert path.read_text() == "ours" and len(names(tmp_path)) == 2
    process.communicate("go on\n")
    assert path.read_text() == "new"


def test_a_failure_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "proof.json"
    path.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old" and names(tmp_path) == ["proof.json"]
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old" and names(tmp_path) == ["proof.json"]

"""What is said of the memory is what the system says, and its least limit counts."""

import subprocess
import sys

import pytest

from novikoff.data import memory
from novikoff.data.memory import available_memory, size

GB = 10**9


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Write the files in which Linux tells its limits."""
    monkeypatch.setattr(memory, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_in_the_address_space", lambda: None)

    def write(**files):
        for name, text in files.items():
            path = tmp_path.joinpath(*name.split("__"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(path.name.replace("_", ".", 1)).write_text(text)

    write(proc__meminfo="MemTotal: 16000000 kB\nMemAvailable: 9000000 kB\nHugePages_Total: 0\n")
    return write


def test_what_is_free_in_the_machine(system):
    assert available_memory() == 9_000_000 * 1024


def test_a_control_group_of_version_2(system):
    system(proc__self__cgroup="0::/job/step\n")
    system(cgroup__job__step__memory_max="max\n", cgroup__job__step__memory_current="5\n")
    assert available_memory() == 9_000_000 * 1024
    system(cgroup__job__memory_max=f"{4 * GB}\n", cgroup__job__memory_current=f"{3 * GB}\n")
    assert available_memory() == GB
    # What the kernel keeps of files it gives back.
    system(cgroup__job__memory_stat=f"anon 7\ninactive_file {GB}\nactive_file {GB // 2}\n")
    assert available_memory() == 2.5 * GB
    system(cgroup__memory_max=f"{5 * GB}\n", cgroup__memory_current=f"{6 * GB}\n")
    assert available_memory() == 0


def test_a_control_group_of_version_1(system):
    system(proc__self__cgroup="3:cpu,cpuacct:/x\n4:memory:/box/1\n0::/\n")
    folder = "cgroup__memory__"  # seen from within a container, where the path is another
    system(**{f"{folder}memory_limit_in_bytes": f"{2 * GB}"})
    system(**{f"{folder}memory_usage_in_bytes": f"{GB}", f"{folder}memory_stat": "cache 5\n"})
    assert available_memory() == GB
    system(**{f"{folder}memory_stat": f"total_inactive_file {GB // 2}\n"})
    assert available_memory() == 1.5 * GB


def test_where_the_system_says_nothing(system, tmp_path, monkeypatch):
    (tmp_path / "proc" / "meminfo").unlink()
    monkeypatch.setattr(memory.os, "sysconf_names", {})
    assert available_memory() is None
    monkeypatch.setattr(memory.os, "sysconf_names", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 2})
    pages = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__)
    assert available_memory() == 4_096_000


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_limit_on_the_address_space():
    code = """
import resource
from novikoff.data.memory import available_memory
free, limit = available_memory(), 5 * 10**8
used = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
print(free > limit, abs(available_memory() - limit) < 10**7)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (8 * GB, "8.0 GB"),
        (10**18, "1,000.0 PB"),
        (10**400, "more than a million PB"),
    ],
)
def test_size(n_bytes, text):
    assert size(n_bytes) == text

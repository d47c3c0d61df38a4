"""A processor that does not compute as the proofs assume is noticed, by switching it so."""

import ctypes
import ctypes.util
import platform
from contextlib import contextmanager

import numpy as np
import pytest
import torch

from novikoff.certificate import (
    Account,
    CertificateError,
    Certifier,
    Slacks,
    Status,
    Weighted,
    row_hashes,
)
from novikoff.certificate.exact.arithmetic import check_arithmetic

X = np.array([[1.0, 0.0], [-1.0, 5e-324]])
CERTIFIER = Certifier.of(X, [1, -1], positive=1, affine=True)
X86 = platform.machine() in ("x86_64", "AMD64")


@contextmanager
def flushed():
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush subnormal numbers to zero")
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


@contextmanager
def rounded(mode):
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    before = library.fegetround()
    library.fesetround(mode)
    try:
        yield
    finally:
        library.fesetround(before)


def certificate():
    return CERTIFIER.hard(
        Account(status=Status.CONVERGED), coef=[1.0, 0.0], proof=Weighted([0, 1], [1, 1])
    )


def test_the_usual_mode_passes():
    check_arithmetic()


def test_flush_to_zero_is_refused():
    with flushed():
        assert 5e-324 * 1.0 == 0.0
        with pytest.raises(CertificateError, match=r"torch.set_flush_denormal\(False\)") as caught:
            check_arithmetic()
    assert "\n" not in str(caught.value)
    check_arithmetic()


def test_every_check_begins_with_it():
    made = certificate()
    with flushed():
        for use in (
            certificate,
            lambda: CERTIFIER.soft_model([1.0, 0.0], C=1.0),
            lambda: CERTIFIER.refute([0, 1]),
            lambda: CERTIFIER.refute_by_slacks(Slacks(coef=[0.0, 0.0], intercept=0.0), [0, 1]),
            lambda: row_hashes(X),
            lambda: made.verify(X, [1, -1]),
            lambda: made.verify(X, [1, -1], check_fingerprint=False),
        ):
            with pytest.raises(CertificateError, match="flush-to-zero"):
                use()
    made.verify(X, [1, -1])


@pytest.mark.skipif(not X86 or platform.system() != "Linux", reason="the modes are numbered so")
@pytest.mark.parametrize("mode", [0x400, 0x800, 0xC00], ids=["down", "up", "towards zero"])
def test_rounding_other_than_to_nearest_is_refused(mode):
    with rounded(mode), pytest.raises(CertificateError, match="round to the nearest"):
        check_arithmetic()
    check_arithmetic()

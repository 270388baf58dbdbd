# SPDX-License-Identifier: GPL-3.0-or-later
"""Another machine, as a process sees it: numpy, BLAS and the C library told to do without this one's processor.

A process with a processor's newer instructions switched off calculates as an older machine would.
"""

import platform

import pytest

from tests.sweeps import sweep

OLDER = {
    "another BLAS": {"OPENBLAS_CORETYPE": "Nehalem"},
    "no AVX-512": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX AVX512_ICL X86_V4"},
    "no FMA": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX AVX512_ICL X86_V4 AVX2 FMA3 X86_V3"},
    "a C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4"},
    "other hashes": {"PYTHONHASHSEED": "7"},
}
"""Environment variables of a process, by what it then does without."""
ALL = {name: value for changes in OLDER.values() for name, value in changes.items()}
"""All of it at once; of numpy's the last: no FMA."""

can_be_older = pytest.mark.skipif(
    platform.machine() not in {"x86_64", "AMD64"}, reason="tells this kind of processor what to leave"
)
on_each = pytest.mark.parametrize("changes", sweep([ALL, *OLDER.values()], usual=1), ids=["all of it", *OLDER])

"""The core as a part of other programs: each header alone in C and C++, a C++ program around it, CMake and make."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.rigs.firmware import ROOT, make

pytestmark = pytest.mark.firmware

FIRMWARE = ROOT / "firmware"
HEADERS = sorted(path.relative_to(FIRMWARE) for path in (*FIRMWARE.glob("include/*.h"), *FIRMWARE.glob("src/*.h")))
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Iinclude", "-Isrc"]
PROGRAM = r"""
#include <cstdio>
#include "controller.h"
#include "tdp.h"
#include "tdp_ring.h"

namespace {
unsigned char memory_bytes[TDP_MEMORY_BYTES];
unsigned long sent;
void put(void *, uint8_t) { sent++; }
}

int main()
{
    static const tdp_identity identity = {"maker", "1", "1.0", {0}, TDP_ROLE_OPERATE};
    static const tdp_memory memory = {tdp_ram_read, tdp_ram_write, tdp_ram_barrier, memory_bytes};
    static tdp_link link;
    static controller controller;
    static controller_kept kept;
    static tdp_ring ring;
    link.type = &controller_class;
    link.device = &controller;
    link.kept = &kept;
    link.identity = &identity;
    link.memory = &memory;
    link.put = put;
    controller.link = &link;
    controller.kept = &kept;
    tdp_start(&link, 0, 4711, TDP_BOOT_CAUSE_POWER_ON);
    for (uint32_t now = 1; now <= 3000; now++) {
        (void)tdp_ring_put(&ring, 0);
        tdp_byte(&link, static_cast<uint8_t>(tdp_ring_get(&ring)), now);
        tdp_tick(&link, now);
    }
    if (!controller_start_game(&controller)) {
        return 1;
    }
    std::printf("%s %u %lu %u\n", TDP_CORE_VERSION, static_cast<unsigned>(link.head.last), sent,
                static_cast<unsigned>(kept.round));
    return 0;
}
"""


def run(*words: str | Path, cwd: Path = FIRMWARE) -> str:
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr
    return done.stdout


def needs(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed (make test-firmware does)")


@pytest.mark.parametrize("header", HEADERS, ids=str)
@pytest.mark.parametrize("compiler", ["cc -std=c99 -x c", "g++ -std=c++11 -x c++"])
def test_each_header_compiles_alone(compiler: str, header: Path, tmp_path: Path) -> None:
    words = compiler.split()
    needs(words[0])
    source = tmp_path / "alone.c"
    source.write_text(f'#include "{header.name}"\n#include "{header.name}"\n')
    run(*words, *FLAGS, "-fsyntax-only", source)


def test_a_program_in_cpp_links_with_the_core(tmp_path: Path) -> None:
    needs("g++")
    needs("cc")
    objects = []
    for source in sorted(FIRMWARE.glob("src/*.c")):
        if not source.name.startswith("device_") and source.name != "hands.c":
            objects.append(tmp_path / f"{source.stem}.o")
            run("cc", "-std=c99", *FLAGS, "-c", "-o", objects[-1], source)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    run("g++", "-std=c++11", *FLAGS, "-o", tmp_path / "product", tmp_path / "main.cpp", *objects)
    version, last, sent, round_ = run(tmp_path / "product").split()
    assert f'"{version}"' in (FIRMWARE / "include/tdp.h").read_text()
    assert int(last) == 4
    assert int(sent) > 100
    assert int(round_) == 1


@pytest.fixture
def cmake() -> str:
    found = shutil.which("cmake")
    if found is None:
        pytest.skip("cmake is not installed (apt install cmake, or pip install cmake)")
    return found


USED = """cmake_minimum_required(VERSION 3.16)
project(product LANGUAGES C CXX)
{how}
add_executable(product main.cpp)
target_compile_features(product PRIVATE cxx_std_11)
target_link_libraries(product PRIVATE tdp::controller)
"""


@pytest.mark.parametrize("how", ["add_subdirectory", "find_package", "sealed"])
def test_cmake_builds_the_core_for_a_product(how: str, cmake: str, tmp_path: Path) -> None:
    """With the sealed line, too, which is off unless it is wanted."""
    needs("g++")
    installed, options = tmp_path / "installed", [f"-DCMAKE_PREFIX_PATH={tmp_path / 'installed'}"]
    options += ["-DTDP_SEAL=ON"] if how == "sealed" else []
    line = f'add_subdirectory("{FIRMWARE}" core)'
    if how == "find_package":
        line = "find_package(tdp 1.1 REQUIRED)"
        run(cmake, "-S", FIRMWARE, "-B", tmp_path / "core", f"-DCMAKE_INSTALL_PREFIX={installed}")
        run(cmake, "--build", tmp_path / "core")
        run(cmake, "--install", tmp_path / "core")
    product = tmp_path / "product"
    product.mkdir()
    (product / "CMakeLists.txt").write_text(USED.format(how=line))
    (product / "main.cpp").write_text(PROGRAM)
    run(cmake, "-S", product, "-B", tmp_path / "built", *options)
    run(cmake, "--build", tmp_path / "built")
    assert run(tmp_path / "built/product").split()[1:2] == ["4"]


def test_cmake_and_make_build_the_core_of_the_same_files() -> None:
    """The files that make measures as the core are those of CMake's library; additions are listed here."""
    told = (FIRMWARE / "CMakeLists.txt").read_text()
    core = make("print-core").split()
    for name in (*core, "ram"):
        assert f"src/{name}.c" in told, name
    sealed = {path.name for path in (FIRMWARE / "seal").glob("*.c")}
    assert sealed == {name for name in sealed if f"seal/{name}" in told}
    listed = {
        word.removeprefix("src/").rstrip(")").removesuffix(".c") for word in told.split() if word.startswith("src/")
    }
    assert listed == {path.stem for path in FIRMWARE.glob("src/*.c")} - {
        "hands", *(path.stem for path in FIRMWARE.glob("src/device_*.c")),
    }  # fmt: skip

"""Builds the compiled module with CMake, from the project around this folder or from the copy in `library/` of an sdist.

PLIANT_PYTHON_MODULE=path takes a module that is built already. CMAKE_ARGS has further options for CMake.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from wheel_tag import platform_tag  # noqa: E402
COPIED = ("CMakeLists.txt", "LICENSE", "include", "src", "extras/io", "web/src/json.c", "web/src/json.h",
          "web/src/include/jansson.h")  # of the project, for an sdist
OURS = ("CMakeLists.txt", "src", "pliant")


def library():
    inside = os.path.join(HERE, "library")
    return inside if os.path.isdir(inside) else os.path.dirname(os.path.dirname(HERE))


def version():
    with open(os.path.join(library(), "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(pliant VERSION ([0-9.]+)", file.read()).group(1)


class BuildModule(build_ext):
    def build_extension(self, extension):
        target = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        built = os.environ.get("PLIANT_PYTHON_MODULE") or self.run_cmake()
        shutil.copyfile(built, target)

    def run_cmake(self):
        folder = os.path.abspath(os.path.join(self.build_temp, "cmake"))
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DPLIANT_TESTS=OFF", "-DPLIANT_COMMAND=OFF", "-DPLIANT_INSTALL=OFF",
                   "-DPLIANT_PYTHON=ON",
                   "-DPLIANT_PYTHON_INCLUDE=" + sysconfig.get_path("include")]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        if not shutil.which("cmake"):
            sys.exit("pliant needs CMake to be built; install cmake and a C compiler")
        subprocess.run(["cmake", "-S", library(), "-B", folder, *options], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "pliant_python", "-j", str(os.cpu_count() or 2)], check=True)
        return os.path.join(folder, "bindings", "python", "pliant", "_pliant.abi3.so")


class TaggedWheel(bdist_wheel):
    """A wheel that is named after the oldest glibc that it runs with."""

    def get_tag(self):
        python, abi, platform = super().get_tag()
        module = self.get_finalized_command("build_ext").get_ext_fullpath("pliant._pliant")
        return python, abi, (os.path.exists(module) and platform_tag(module)) or platform


class CopyLibrary(sdist):
    """An sdist holds the library's sources too."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        to = os.path.join(base_dir, "library")
        for names, source, target in ((COPIED, library(), to),
                                      (OURS, os.path.join(library(), "bindings", "python"), os.path.join(to, "bindings", "python"))):
            for name in names:
                self.copy(os.path.join(source, name), os.path.join(target, name))

    @staticmethod
    def copy(source, target):
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(source, target)


class Compiled(Distribution):
    def has_ext_modules(self):
        return True


setup(
    version=version(),
    packages=["pliant"],
    package_data={"pliant": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("pliant._pliant", sources=[], py_limited_api=True)],
    cmdclass={"bdist_wheel": TaggedWheel, "build_ext": BuildModule, "sdist": CopyLibrary},
    distclass=Compiled,
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)

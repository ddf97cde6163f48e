"""Names the wheels of the package; everything else about it is in pyproject.toml.

Without a library in the folder of the package, the wheel is for every system, and finds the library
that is installed there. With a library, the wheel is only for systems that can load the library.
"""

from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

HAS_LIBRARY = (Path(__file__).parent / "restway" / "librestway.so").exists()


class Package(Distribution):
    """The package: pure Python, unless it holds the library."""

    def has_ext_modules(self) -> bool:
        return HAS_LIBRARY


class Wheel(bdist_wheel):
    """A wheel, which any version of Python 3 can use: the library has no part of Python in it."""

    def get_tag(self) -> tuple[str, str, str]:
        _, _, system = super().get_tag()
        return "py3", "none", system


setup(distclass=Package, cmdclass={"bdist_wheel": Wheel})

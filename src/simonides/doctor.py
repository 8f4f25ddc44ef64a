"""What about a file that cannot be opened? Look at it, mend what is derived, save what is left.

>>> import simonides, tempfile, os
>>> from simonides import doctor
>>> with tempfile.TemporaryDirectory() as folder:
...     path = os.path.join(folder, "a.db")
...     with simonides.open(path) as store:
...         _ = store.remember("The spare key is under the blue pot")
...     doctor.examine(path).ok
True
"""

from __future__ import annotations

from simonides.exchange.salvage import salvage
from simonides.upkeep.doctor import examine

__all__ = ["examine", "salvage"]

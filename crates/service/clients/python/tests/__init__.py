"""What the client does with a real service. SWAMPBOX names the command that serves it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

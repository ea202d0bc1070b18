"""An agent that proposes to write a file, and waits until somebody has decided.

    SWAMPBOX_KEY=$(cat builder.key) python3 agent.py http://127.0.0.1:7800
"""

import os
import sys

from swampbox import Client, SwampBoxError


def main() -> int:
    client = Client(sys.argv[1], os.environ["SWAMPBOX_KEY"])
    with client.execution() as execution:
        page = {"path": "index.html", "content": "Hello\n", "expected_sha256": None}
        held = execution.propose("file.write", "site", page)
        print(f"proposed {held.id}; it waits for somebody to decide", flush=True)
        release = held.release(wait=300)
        print(f"{release.status}  {release.reason}")
        return 0 if release.released else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SwampBoxError as error:
        sys.exit(f"{error}\n{error.remedy}")

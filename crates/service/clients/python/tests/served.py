"""A service of its own for each test."""

import os
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from swampbox import Client

CONFIGURATION = """
[authority]
first = ["approvals"]

[approvals]
approvers = ["carl"]

[[file]]
target = "site"
directory = "site"
"""

PRINCIPALS = {"ann": "agent", "carl": "approver", "olga": "operator", "udo": "auditor"}


class Served(unittest.TestCase):
    """Begins a service before a test, and ends it after. `origin` is a target that answers nothing."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)
        (self.home / "site").mkdir()
        self.outside = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.outside.close)
        self.origin = "http://127.0.0.1:{}".format(self.outside.getsockname()[1])
        configuration = CONFIGURATION + f'[[http]]\ntarget = "{self.origin}"\nprivate = true\n'
        for name, role in PRINCIPALS.items():
            words = ["principal", name, "--role", role, "--key-file", f"{name}.key"]
            configuration += self.command(*words)
        (self.home / "swampbox.toml").write_text(configuration)
        self.command("init", "--ledger", "ledger.db")
        self.address = "127.0.0.1:0"
        self.begin()
        self.addCleanup(self.kill)

    def command(self, *arguments: str) -> str:
        program = os.environ["SWAMPBOX"]
        done = subprocess.run(
            [program, *arguments], cwd=self.home, check=True, capture_output=True, text=True
        )
        return done.stdout

    def begin(self) -> None:
        """Begins the service, the second time at the same address as the first."""
        words = ["--ledger", "ledger.db", "--config", "swampbox.toml", "--log-level", "error"]
        self.process = subprocess.Popen(
            [os.environ["SWAMPBOX"], "serve", "--listen", self.address, *words],
            cwd=self.home,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        self.url = line[len("listening on ") :]
        self.address = self.url[len("http://") :]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()

    def key(self, name: str) -> str:
        return (self.home / f"{name}.key").read_text().strip()

    def client(self, name: str) -> Client:
        return Client(self.url, self.key(name))

    def decide(self, consequence: str, verdict: str = "ALLOW") -> None:
        """Decides as carl, as soon as there is a request."""
        carl = self.client("carl")
        while not any(
            request["consequence_id"] == consequence
            for request in carl.list_approvals()["requests"]
        ):
            pass
        digest = carl.show_approval(consequence)["request"]["digest"]
        carl.decide_approval(consequence, digest, verdict, "looked at", 60)


def file(path: str, content: str) -> dict:
    return {"path": path, "content": content, "expected_sha256": None}

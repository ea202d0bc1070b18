"""The example agent, as a process."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

from .served import Served

HERE = Path(__file__).resolve().parent.parent


class Example(Served):
    def test_the_agent_proposes_waits_and_says_what_became_of_it(self) -> None:
        paths = {**os.environ, "PYTHONPATH": str(HERE / "src"), "SWAMPBOX_KEY": self.key("ann")}
        agent = subprocess.Popen(
            [sys.executable, str(HERE / "examples/agent.py"), self.url],
            env=paths,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert agent.stdout
        proposed = agent.stdout.readline().split()[1].rstrip(";")
        self.decide(proposed)
        rest, _ = agent.communicate()
        self.assertEqual((rest, agent.returncode), ("RELEASED  actuator_succeeded\n", 0))
        self.assertEqual((self.home / "site/index.html").read_text(), "Hello\n")


if __name__ == "__main__":
    unittest.main()

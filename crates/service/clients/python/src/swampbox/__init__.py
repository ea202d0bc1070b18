"""Proposes consequences to a SwampBox service, and waits for their release."""

from .api import Api
from .client import Client
from .errors import SwampBoxError, Unreachable
from .execution import Consequence, Execution, Release

__all__ = [
    "Api",
    "Client",
    "Consequence",
    "Execution",
    "Release",
    "SwampBoxError",
    "Unreachable",
]

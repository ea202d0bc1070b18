"""The client beside the OpenAPI document of the service."""

import inspect
import re
import unittest
from typing import Any, Dict, List, Tuple
from unittest import mock

from swampbox import Api

from .served import Served


class Recorded:
    """Stands where the way to the service is, and notes what is asked for."""

    url = "recorded"

    def __init__(self) -> None:
        self.asked: List[Tuple[str, str, Dict[str, Any], Any, Dict[str, str]]] = []

    def ask(self, method, path, query=None, body=None, headers=None, **_):  # type: ignore
        self.asked.append((method, path, query or {}, body, headers or {}))
        return b"{}"


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


class Document(Served):
    def test_each_operation_is_a_method_with_its_path_its_parameters_and_its_fields(self) -> None:
        document = self.client("ann").openapi()
        operations = [
            (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        self.assertGreater(len(operations), 20)
        for method, path, operation in operations:
            with self.subTest(operation["operationId"]):
                self.operation(document, method, path, operation)
        known = {snake(operation["operationId"]) for _, _, operation in operations}
        ours = {name for name, _ in inspect.getmembers(Api, inspect.isfunction) if name[0] != "_"}
        self.assertEqual(known, ours)

    def operation(self, document: dict, method: str, path: str, operation: dict) -> None:
        called = getattr(Api, snake(operation["operationId"]))
        taken = [name for name in inspect.signature(called).parameters if name != "self"]
        values = {name: f"{name}/." for name in taken}
        recorded = Recorded()
        with mock.patch("swampbox.api.stream.once") as once:
            called(Api(recorded), **values)  # type: ignore
        if operation["operationId"] == "streamEvents":
            # It is tested with a real connection; here only that its parameters are there.
            self.assertEqual(taken, ["from_", "last_event_id"])
            once.assert_called_once()
            return
        asked_method, asked_path, query, body, headers = recorded.asked[0]
        place = lambda found: values[found[1]].replace("/", "%2F").replace(".", "%2E")  # noqa: E731
        self.assertEqual(asked_path, re.sub(r"\{(.*?)\}", place, path))
        self.assertEqual(asked_method, method)
        parameters = operation.get("parameters", [])
        named = lambda within: {p["name"] for p in parameters if p["in"] == within}  # noqa: E731
        self.assertEqual(set(query), named("query"))
        self.assertEqual(set(headers), named("header"))
        fields = set(body) if isinstance(body, dict) else set()
        self.assertEqual(fields, set(self.fields(document, operation)))

    def fields(self, document: dict, operation: dict) -> dict:
        if "requestBody" not in operation:
            return {}
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        name = schema["$ref"].rsplit("/", 1)[1]
        return document["components"]["schemas"][name]["properties"]


if __name__ == "__main__":
    unittest.main()

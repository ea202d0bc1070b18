"""What goes to the service and comes from it is the same value."""

import unittest

from swampbox import Client, exact


class Exact(unittest.TestCase):
    def test_every_value_reads_back_equal_and_of_the_same_type(self) -> None:
        values = [2**53 + 1, -(2**200), 1, 1.0, -0.0, 1e22, 5e-324, True, None, "\u202e\x00\U0001f600"]
        for value in [*values, values, {"": values}]:
            again = exact.read(exact.write(value))
            self.assertEqual(repr(again), repr(value))

    def test_a_float_never_becomes_an_integer(self) -> None:
        self.assertEqual(exact.write([1.0, 1, 1e22]), b"[1.0,1,1e+22]")

    def test_what_json_can_not_hold_is_refused_with_its_place(self) -> None:
        for value in [{1: 2}, {"a": [{True: 1}]}, {"a": (1, 2)}, b"x", {"a": {1}}]:
            with self.assertRaisesRegex(TypeError, r"^\$"):
                exact.write(value)
        for value in [float("nan"), float("inf")]:
            with self.assertRaises(ValueError):
                exact.write(value)

    def test_what_is_no_json_is_not_read(self) -> None:
        for text in [b"NaN", b"[-Infinity]", b'{"a":1,"a":2}', b"{", b""]:
            with self.assertRaises(ValueError):
                exact.read(text)


class Urls(unittest.TestCase):
    def test_a_key_goes_over_plain_http_to_this_machine_alone(self) -> None:
        for url in ["http://127.0.0.1:1", "http://localhost", "http://[::1]:1", "https://a.example"]:
            Client(url, "k")
        Client("http://a.example", "k", allow_plain_http=True)
        bad = ["http://a.example", "http://localhost.a.example", "ftp://127.0.0.1", "127.0.0.1:1"]
        for url in [*bad, "https://u@a.example", "https://a.example/?k=1", "https://"]:
            with self.assertRaises(ValueError):
                Client(url, "k")


if __name__ == "__main__":
    unittest.main()

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
        for value in [float("nan"), {"a": float("inf")}]:
            with self.assertRaisesRegex(ValueError, r"^\$"):
                exact.write(value)

    def test_what_is_no_text_is_neither_written_nor_read(self) -> None:
        for value in ["\ud800", {"\udfff": 1}, {"a": ["b\udc00c"]}]:
            with self.assertRaisesRegex(ValueError, r"^\$.*half of a surrogate pair"):
                exact.write(value)
        escaped = [b'"\\ud800"', b'{"\\udfff":1}', b'["\\udc00\\ud800"]']
        for text in escaped:
            with self.assertRaisesRegex(ValueError, "half of a surrogate pair"):
                exact.read(text)
        for text in [b'"\xed\xa0\x80"', b'"\xff"', b"\xef\xbb\xbf1", '"a"'.encode("utf-16")]:
            with self.assertRaises(ValueError):
                exact.read(text)
        self.assertEqual(exact.read(b'"\\ud83d\\ude00"'), "\U0001f600")

    def test_a_float_beyond_the_range_is_not_read_as_infinity(self) -> None:
        for text in [b"1e400", b'{"a":[-1e400]}', b"1" + b"0" * 400 + b".0"]:
            with self.assertRaisesRegex(ValueError, "beyond the range"):
                exact.read(text)
        self.assertEqual(exact.read(b"1" + b"0" * 400), 10**400)

    def test_what_is_nested_deeper_than_the_service_takes_is_refused(self) -> None:
        deepest = b"[" * 128 + b"]" * 128
        self.assertEqual(exact.write(exact.read(deepest)), deepest)
        for text in [b"[" + deepest + b"]", b"[" * 100_000]:
            with self.assertRaisesRegex(ValueError, "nested deeper"):
                exact.read(text)
        endless: list = []
        endless.append(endless)
        for value in [endless, [exact.read(deepest)]]:
            with self.assertRaisesRegex(ValueError, r"^\$.*nested deeper"):
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

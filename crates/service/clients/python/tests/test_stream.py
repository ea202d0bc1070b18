"""The stream of events."""

import threading
import unittest

from swampbox import SwampBoxError, Unreachable

from .served import Served, file


class Events(Served):
    def test_it_goes_on_where_it_stopped_when_the_connection_was_lost(self) -> None:
        execution = self.client("ann").execution()
        events = self.client("udo").events(1)
        seen = [next(events)["sequence"] for _ in range(2)]
        for number in range(10):
            execution.propose("file.write", "site", file(f"{number}", ""))
        seen += [next(events)["sequence"] for _ in range(5)]
        self.kill()
        begin = threading.Thread(target=self.begin)
        begin.start()
        seen += [next(events)["sequence"] for _ in range(5)]
        begin.join()
        for number in range(10, 15):
            execution.propose("file.write", "site", file(f"{number}", ""))
        seen += [next(events)["sequence"] for _ in range(5)]
        self.assertEqual(seen, list(range(1, 18)))

    def test_without_a_number_it_begins_with_the_next_event(self) -> None:
        udo = self.client("udo")
        self.client("ann").execution()
        last = udo.show_ledger()["last_event"]["sequence"]
        events = udo.events()
        came = []
        listener = threading.Thread(target=lambda: came.append(next(events)))
        listener.start()
        while not came:
            self.client("ann").execution()
        listener.join()
        self.assertGreater(came[0]["sequence"], last)

    def test_it_gives_up_when_it_is_told_to(self) -> None:
        events = self.client("udo").events(1, give_up_after=0)
        self.client("ann").execution()
        next(events)
        self.kill()
        with self.assertRaises(Unreachable):
            for _ in events:
                pass

    def test_what_is_refused_is_not_tried_again(self) -> None:
        with self.assertRaises(SwampBoxError) as refused:
            next(self.client("carl").events(1))
        self.assertEqual(refused.exception.code, "forbidden")


if __name__ == "__main__":
    unittest.main()

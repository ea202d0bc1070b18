"""From a proposal to its effect."""

import threading
import unittest

from swampbox import SwampBoxError, Unreachable

from .served import Served, file


class Proposals(Served):
    def test_what_is_proposed_happens_once_somebody_allows_it(self) -> None:
        with self.client("ann").execution() as execution:
            held = execution.propose("file.write", "site", file("a", "hello"))
            self.assertTrue(held.release().pending)
            decider = threading.Thread(target=self.decide, args=[held.id])
            decider.start()
            release = held.release(wait=60)
            decider.join()
        self.assertEqual((release.status, release.reason), ("RELEASED", "actuator_succeeded"))
        self.assertEqual((self.home / "site/a").read_text(), "hello")

    def test_what_is_denied_is_said_with_its_reason(self) -> None:
        with self.client("ann").execution() as execution:
            held = execution.propose("file.write", "site", file("a", "hello"))
            held.release()
            self.decide(held.id, "DENY")
            release = held.release(wait=60)
            self.assertEqual((release.status, release.reason), ("CONTAINED", "authority_not_allowed"))

    def test_a_proposal_that_is_far_too_large_is_refused_as_such(self) -> None:
        with self.client("ann").execution() as execution:
            for megabytes in (5, 24):
                with self.assertRaises(SwampBoxError) as refused:
                    execution.propose("file.write", "site", file("a", "x" * (megabytes << 20)))
                self.assertEqual(refused.exception.code, "too_large")

    def test_a_release_that_waits_goes_on_when_the_service_comes_back(self) -> None:
        execution = self.client("ann").execution()
        held = execution.propose("file.write", "site", file("a", "hello"))
        held.release()
        ended = []
        waiting = threading.Thread(target=lambda: ended.append(held.release(wait=60)))
        waiting.start()
        self.kill()
        self.begin()
        self.decide(held.id)
        waiting.join()
        self.assertEqual(ended[0].status, "RELEASED")

    def test_the_same_key_proposes_once_and_no_other_thing(self) -> None:
        with self.client("ann").execution() as execution:
            propose = lambda content: execution.propose(  # noqa: E731
                "file.write", "site", file("a", content), idempotency_key="first"
            )
            self.assertEqual(propose("x").id, propose("x").id)
            with self.assertRaises(SwampBoxError) as refused:
                propose("y")
            self.assertEqual(refused.exception.code, "idempotency_mismatch")
            self.assertEqual(refused.exception.status, 409)
            self.assertTrue(refused.exception.remedy)

    def test_what_an_execution_leaves_behind_is_adopted_by_the_next(self) -> None:
        client = self.client("ann")
        with client.execution() as first:
            left = first.propose("file.write", "site", file("a", "hello"))
        with client.execution() as second:
            self.assertEqual(second.adopt(left.id).id, left.id)
            self.assertEqual(second.held(left.id).state(), "CONTAINED")
            with client.execution() as third:
                second.held(left.id).transfer(third)
                self.assertEqual(third.held(left.id).id, left.id)

    def test_a_refusal_inside_comes_out_also_if_the_end_is_refused(self) -> None:
        with self.assertRaises(SwampBoxError) as refused:
            with self.client("ann").execution() as execution:
                execution.end()
                execution.propose("file.write", "site", file("a", "hello"))
        self.assertEqual(refused.exception.code, "execution_not_active")

    def test_nobody_there_is_an_error_of_its_own(self) -> None:
        client = self.client("ann")
        self.kill()
        with self.assertRaises(Unreachable) as error:
            client.create_execution()
        self.assertEqual(error.exception.code, "service_unreachable")

    def test_values_of_any_size_are_the_same_when_they_are_read_again(self) -> None:
        execution = self.client("ann").execution()
        request = {"method": "POST", "url": f"{self.origin}/", "body": "x"}
        held = execution.propose("http.request", self.origin, request)
        held.release()
        self.decide(held.id)
        hanging_up = threading.Thread(target=self.hang_up)
        hanging_up.start()
        self.assertEqual(held.release(wait=60).status, "UNCERTAIN")
        hanging_up.join()
        evidence = {"integers": [2**64 + 1, -(2**53) - 1, 1, 0], "floats": [1.0, -0.0, 1e22, 5e-324]}
        olga = self.client("olga")
        olga.resolve_consequence(held.id, "unresolved", evidence)
        found = olga.story_of_consequence(held.id)["resolutions"][0]["evidence"]
        self.assertEqual(repr(found), repr(evidence))

    def hang_up(self) -> None:
        arrived, _ = self.outside.accept()
        arrived.recv(1024)
        arrived.close()


if __name__ == "__main__":
    unittest.main()

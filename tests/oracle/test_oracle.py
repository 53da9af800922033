#!/usr/bin/env python3
"""The oracle against sums worked out by hand: small captures whose answers a reader can check with a pencil."""

import json
import os
import tempfile
import unittest

import kineto_oracle
from kineto_oracle import nanoseconds


def capture(*events):
    return json.dumps({"traceEvents": list(events)})


def kernel(ts, dur, name="k", correlation=None, device=0, stream=7, **more):
    arguments = {"device": device, "stream": stream}
    if correlation is not None:
        arguments["correlation"] = correlation
    return dict({"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": ts, "dur": dur,
                 "args": arguments}, **more)


def call(ts, correlation, name="cudaLaunchKernel", dur=1, tid=10):
    return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
            "args": {"correlation": correlation}}


def frame(name, ts, dur, tid=10):
    return {"ph": "X", "cat": "python_function", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur}


def arrow(phase, number, pid, tid, ts, category="ac2g"):
    return {"ph": phase, "id": number, "pid": pid, "tid": tid, "ts": ts, "cat": category, "name": "ac2g"}


class Counting(unittest.TestCase):
    def count(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "capture.json")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
            return kineto_oracle.count(path)

    def link_counts(self, *events):
        return {name: row["count"] for name, row in self.count(capture(*events))["links"].items() if row["count"]}

    def test_times_round_half_to_even_on_their_own(self):
        self.assertEqual(nanoseconds("0.0005"), 0)
        self.assertEqual(nanoseconds("0.0015"), 2)
        self.assertEqual(nanoseconds("0.0025"), 2)
        self.assertEqual(nanoseconds("0.00250000000000000000000000000000001"), 3)
        self.assertEqual(nanoseconds("-0.0015"), -2)
        self.assertEqual(nanoseconds("1.5e3"), 1_500_000)
        self.assertEqual(nanoseconds("6500000000000.123"), 6_500_000_000_000_123)
        self.assertEqual(nanoseconds(7), 7000)

    def test_what_is_no_time_is_none(self):
        for value in (None, True, "", ".", "abc", "1_0", [], "nan", "1e30", "-1e30", 1 << 62):
            self.assertIsNone(nanoseconds(value), value)

    def test_busy_is_a_union_and_a_sum_is_a_sum(self):
        data = self.count(capture(kernel(10, 10), kernel(15, 10, stream=8), kernel(40, 5), kernel(100, 1, device=1)))
        self.assertEqual(data["time"]["kernel_sum_ns"], 26_000)
        self.assertEqual(data["time"]["devices"][0], {"device": 0, "window_ns": 35_000, "busy_ns": 20_000, "idle_ns": 15_000})
        self.assertEqual(data["time"]["devices"][1], {"device": 1, "window_ns": 1000, "busy_ns": 1000, "idle_ns": 0})

    def test_pairs_have_a_length_and_nest(self):
        data = self.count(capture(
            dict(kernel(10, None, name="outer"), ph="B"), dict(kernel(12, None, name="inner"), ph="B"),
            {"ph": "E", "pid": 0, "tid": 7, "ts": 15}, {"ph": "E", "pid": 0, "tid": 7, "ts": 20}))
        self.assertEqual({row["name"]: row["total_ns"] for row in data["tables"]["kernels"]["rows"]},
                         {"outer": 10_000, "inner": 3000})

    def test_a_length_that_is_absent_or_absurd_is_counted_and_not_summed(self):
        for dur in (None, -5, 1e30, "soon", 7 * 86_400_000_000 + 1):
            data = self.count(capture(kernel(10, dur), kernel(20, 5)))
            self.assertEqual((data["activities"]["kernels"], data["time"]["kernel_sum_ns"]), (2, 5000))
            self.assertEqual(data["time"]["devices"][0]["window_ns"], 5000)

    def test_a_length_that_the_sum_cannot_take_is_counted_and_not_summed(self):
        week = 600_000_000_000
        fits = ((1 << 63) - 1) // (week * 1000)
        data = self.count(capture(*(kernel(at, week) for at in range(fits + 2))))
        self.assertEqual((data["activities"]["kernels"], data["time"]["kernel_sum_ns"]), (fits + 2, fits * week * 1000))

    def test_a_lost_clock_has_no_place(self):
        epoch = 1_700_000_000_000_000
        data = self.count(capture(kernel(0, 3), kernel(epoch, 5)))
        self.assertEqual((data["time"]["kernel_sum_ns"], data["time"]["devices"][0]["window_ns"]), (8000, 5000))
        data = self.count(capture(kernel(0, 3), kernel(1000, 5)))
        self.assertEqual(data["time"]["devices"][0]["window_ns"], 1_005_000)

    def test_an_activity_written_twice_counts_once(self):
        twice = kernel(10, 5, correlation=3)
        self.assertEqual(self.count(capture(twice, twice))["activities"]["total"], 1)
        self.assertEqual(self.count(capture(kernel(10, 5), kernel(10, 5)))["activities"]["total"], 2)
        self.assertEqual(self.count(capture(kernel(10, 0, correlation=3), kernel(10, 0, correlation=3)))["activities"]["total"], 2)
        self.assertEqual(self.count(capture(twice, kernel(10, 5, correlation=4)))["activities"]["total"], 2)

    def test_every_activity_has_one_class_of_link(self):
        self.assertEqual(self.link_counts(call(1, 50), kernel(5, 1, correlation=50)), {"call": 1})
        self.assertEqual(self.link_counts(call(1, 50, "hipGraphLaunch"), kernel(5, 1, correlation=50), kernel(6, 1, correlation=50)),
                         {"graph_replay": 2})
        self.assertEqual(self.link_counts(call(1, 50), kernel(5, 1, correlation=49)), {"before_capture": 1})
        self.assertEqual(self.link_counts(call(1, 50), kernel(5, 1, correlation=51), kernel(6, 1), kernel(7, 1, correlation=0),
                                          kernel(8, 1, correlation=-1)), {"missing": 4})

    def test_of_calls_with_one_number_the_launching_and_latest_is_taken(self):
        self.assertEqual(self.link_counts(call(1, 50, "cudaGraphLaunch"), call(2, 50, "cudaEventRecord"), kernel(5, 1, correlation=50)),
                         {"graph_replay": 1})
        self.assertEqual(self.link_counts(call(1, 50, "cudaGraphLaunch"), call(4, 50), call(9, 50, "cudaGraphLaunch"),
                                          kernel(5, 1, correlation=50)), {"call": 1})

    def test_an_arrow_helps_only_where_the_number_does_not(self):
        ends = (arrow("s", 9, 1, 10, 1), arrow("f", 9, 0, 7, 5))
        self.assertEqual(self.link_counts(call(1, 50), *ends, kernel(5, 1, correlation=0)), {"call": 1})
        self.assertEqual(self.link_counts(call(1, 50, "cudaGraphLaunch"), *ends, kernel(5, 1, correlation=3)), {"graph_replay": 1})
        self.assertEqual(self.link_counts(call(2, 50), *ends, kernel(5, 1, correlation=0)), {"missing": 1})

    def test_categories_without_device_time_do_not_count(self):
        for category in ("gpu_user_annotation", "overhead", "cuda_sync", "Trace"):
            self.assertEqual(self.count(capture(kernel(1, 1, cat=category)))["activities"]["total"], 0)
        self.assertEqual(self.count(capture(kernel(1, 1, cat="Kernel"), kernel(2, 1, cat="Memcpy"), kernel(3, 1, cat="gpu_memset")))
                         ["activities"], {"total": 3, "kernels": 1, "copies": 1, "fills": 1})

    def test_module_rows_have_calls_self_and_subtree(self):
        table = self.count(capture(
            frame("nn.Module: Block_0", 0, 100), frame("nn.Module: Norm_3", 10, 20), frame("nn.Module: Norm_3", 50, 20),
            call(15, 1), call(55, 2), call(80, 3), call(200, 4),
            kernel(300, 1, correlation=1), kernel(302, 2, correlation=2), kernel(305, 4, correlation=3), kernel(310, 8, correlation=4),
        ))["tables"]["modules"]
        rows = {"/".join(row["path"]): (row["type"], row["instance"], row["count"], row["self_ns"], row["subtree_ns"])
                for row in table["rows"]}
        self.assertEqual(rows, {"Block_0": ("Block", "0", 1, 4000, 7000), "Block_0/Norm_3": ("Norm", "3", 2, 3000, 3000)})
        self.assertEqual((table["residual_ns"], table["whole_ns"]), (8000, 15_000))

    @unittest.skipIf(kineto_oracle.tomllib is None, "Python before 3.11 has no tomllib")
    def test_the_source_is_the_innermost_frame_of_the_application(self):
        table = self.count(capture(
            frame("app.py(3): <module>", 0, 100), frame("model.py(7): forward", 5, 50), frame("nn.Module: Norm_0", 6, 40),
            frame("/x/lib/python3.10/site-packages/torch/nn/functional.py(9): norm", 7, 30), frame("<built-in method norm>", 8, 20),
            call(10, 1), call(90, 2), call(200, 3),
            kernel(300, 1, correlation=1), kernel(302, 2, correlation=2), kernel(305, 4, correlation=3),
        ))["tables"]["sources"]
        rows = {(row["file"], row["line"], row["function"]): (row["count"], row["ns"]) for row in table["rows"]}
        self.assertEqual(rows, {("model.py", 7, "forward"): (1, 1000), ("app.py", 3, "<module>"): (1, 2000)})
        self.assertEqual((table["residual_ns"], table["whole_ns"]), (4000, 7000))

    def test_documents_without_the_usual_frame_are_read(self):
        events = [kernel(1, 2), kernel(5, 2)]
        for text in (json.dumps(events), ",\n".join(json.dumps(event) for event in events), "\ufeff" + capture(*events)):
            self.assertEqual(self.count(text)["time"]["kernel_sum_ns"], 4000)

    def test_of_a_key_that_comes_twice_the_last_counts_and_of_two_the_event_is_damage(self):
        text = capture(kernel(1, 2))
        self.assertEqual(self.count(text.replace('"dur": 2', '"dur": 9, "dur": 2'))["time"]["kernel_sum_ns"], 2000)
        self.assertEqual(self.count(text.replace('"dur": 2', '"dur": 2, "dur": 2, "ts": 1'))["time"]["kernel_sum_ns"], 2000)
        self.assertEqual(self.count(text.replace('"dur": 2', '"dur": 9, "dur": 2, "ts": 7'))["activities"]["total"], 0)

    def test_what_is_no_capture_is_said(self):
        for text in ("[]", "[[1, 2]]", '{"nodes": []}', '"x"'):
            self.assertRaises(kineto_oracle.NotACapture, self.count, text)
        for text in ("", "{", '{"traceEvents": [{]', "<html>"):
            self.assertRaises(kineto_oracle.NotParsed, self.count, text)


if __name__ == "__main__":
    unittest.main()

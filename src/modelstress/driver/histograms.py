"""Samples as one histogram per thread, second and kind of result (``samples: histogram``)."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from modelstress.config.programs import Workload
from modelstress.driver.samples import FileFullError, Sample, SampleWriter

SUFFIX = ".histograms.jsonl"
SECOND = 1_000_000_000
LONGEST_NS = 24 * 3600 * SECOND
_KIND = ("phase", "operation", "outcome", "result_count", "result_digest")
_SUMS = ("items", "attempts", "think_ns", "verify_ns", "bytes_sent", "bytes_received")


class _Bucket:
    """What one thread measured of one kind in one second."""

    def __init__(self, second: int) -> None:
        self.second = second
        self.durations = HdrHistogram(1, LONGEST_NS, 3)
        self.lateness = HdrHistogram(1, LONGEST_NS, 3)
        self.sums = dict.fromkeys(_SUMS, 0)

    def add(self, sample: Sample) -> None:
        self.durations.record_value(min(max(0, sample.duration_ns), LONGEST_NS))
        late = sample.start_ns - sample.intended_start_ns
        self.lateness.record_value(min(max(0, late), LONGEST_NS))
        for name, total in self.sums.items():
            more = getattr(sample, name)
            self.sums[name] = -1 if total < 0 or more < 0 else total + more


class HistogramRecorder:
    """JSON lines beside a sample file that has a header and no records."""

    def __init__(self, path: Path, rows: SampleWriter, workload: Workload, threads: int) -> None:
        self._path = path.with_name(path.name + SUFFIX)
        self._rows = rows
        self._workload = workload
        self._file = self._path.open("x", encoding="utf-8")
        self._writing = threading.Lock()
        self._threads: list[dict[tuple[Any, ...], _Bucket]] = [{} for _ in range(threads)]
        self._locks = [threading.Lock() for _ in range(threads)]

    def claim(self, slot: int) -> None:
        """Nothing: a histogram has no slots."""

    def record(self, slot: int, sample: Sample) -> None:
        """Record an execution in the second in which it ended."""
        end = sample.intended_start_ns + sample.duration_ns + sample.think_ns
        kind = tuple(getattr(sample, name) for name in _KIND)
        buckets = self._threads[sample.thread]
        with self._locks[sample.thread]:
            bucket = buckets.get(kind)
            if bucket is None or bucket.second != end // SECOND:
                if bucket is not None:
                    self._write(sample.thread, kind, bucket)
                bucket = buckets[kind] = _Bucket(end // SECOND)
            bucket.add(sample)

    def tick(self) -> None:
        """Write what belongs to seconds in which nobody can still be recording."""
        self._flush(time.monotonic_ns() // SECOND - 1)

    def close(self, slots: int | None) -> None:
        """Write the rest and close both files."""
        try:
            self._flush(LONGEST_NS)
            self._file.close()
        finally:
            self._rows.close(0)

    def _flush(self, before: int) -> None:
        for thread, buckets in enumerate(self._threads):
            with self._locks[thread]:
                for kind in [k for k, bucket in buckets.items() if bucket.second < before]:
                    self._write(thread, kind, buckets.pop(kind))
        with self._writing:
            self._file.flush()

    def _write(self, thread: int, kind: tuple[Any, ...], bucket: _Bucket) -> None:
        named = dict(zip(_KIND, kind, strict=True))
        line = {
            "invocation": self._workload.invocation,
            "client": self._workload.client,
            "thread": thread,
            "second_ns": bucket.second * SECOND,
            **named,
            "operation": self._workload.operations[named["operation"]].name,
            "result_digest": str(named["result_digest"]),
            "executions": bucket.durations.get_total_count(),
            **bucket.sums,
            "duration_ns": bucket.durations.encode().decode(),
            "lateness_ns": bucket.lateness.encode().decode(),
        }
        try:
            with self._writing:
                self._file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise FileFullError(f"{self._path}: no room: {error.strerror}") from error

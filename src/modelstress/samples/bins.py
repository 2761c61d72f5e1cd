"""Bins of an HdrHistogram: values with their counts, to be merged and ranked."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from hdrh.codec import HdrCookieException, HdrHistogramSettingsException, HdrLengthException
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from modelstress.config.errors import MeasureError

DIGITS = 3
MOST_BYTES = 1 << 22
"""Of one histogram, unpacked."""
MOST_VALUES = 100_000
"""Single values that stand for the executions of one invocation, where there are more."""
AT_ONCE = 64
"""Histograms that are merged in one step."""
UNDECODABLE = (
    ValueError, TypeError, LookupError, ArithmeticError, struct.error, zlib.error,
    HdrCookieException, HdrHistogramSettingsException, HdrLengthException,
)  # fmt: skip
"""What the decoder raises over damaged ones, as its documentation and its code say."""


@dataclass(frozen=True)
class Bins:
    """Values in ascending order, each the middle of its bin, and how often each was recorded."""

    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """How many values were recorded."""
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The value below or at which this share of all values lies; NaN without any."""
        if not self.total:
            return float("nan")
        rank = max(1, int(np.ceil(share * self.total)))
        return float(self.values[np.searchsorted(np.cumsum(self.counts), rank)])

    def median(self) -> float:
        """The median; of an even number of values the mean of both in the middle."""
        if not self.total:
            return float("nan")
        ends = np.cumsum(self.counts)
        middle = [(self.total + 1) // 2, self.total // 2 + 1]
        return float(self.values[np.searchsorted(ends, middle)].mean())

    def variance(self) -> float:
        """The variance, with n − 1; NaN of fewer than two values."""
        if self.total < 2:
            return float("nan")
        mean = np.average(self.values, weights=self.counts)
        return float(np.sum(self.counts * (self.values - mean) ** 2) / (self.total - 1))

    def by_rank(self, most: int = MOST_VALUES) -> NDArray[np.float64]:
        """All values, or so many of them, evenly spaced by rank."""
        if self.total <= most:
            return np.repeat(self.values, self.counts)
        ranks = np.floor((np.arange(most) + 0.5) / most * self.total)
        quantiles: NDArray[np.float64] = self.values[
            np.searchsorted(np.cumsum(self.counts), ranks, side="right")
        ]
        return quantiles


NOTHING = Bins(np.empty(0), np.empty(0, np.int64))


def merged(parts: Iterable[Bins]) -> Bins:
    """The bins of several histograms as one; few of them are held at a time."""
    total = NOTHING
    for some in batched(parts, AT_ONCE):
        total = _sum([total, *some])
    return total


def batched(parts: Iterable[Bins], size: int) -> Iterator[list[Bins]]:
    """Parts in groups of a size; itertools has it from Python 3.12 on."""
    rest = iter(parts)
    while group := list(islice(rest, size)):
        yield group


def _sum(parts: list[Bins]) -> Bins:
    values, places = np.unique(np.concatenate([part.values for part in parts]), return_inverse=True)
    counts = np.concatenate([part.counts for part in parts])
    sums = np.zeros(len(values), np.int64)
    np.add.at(sums, places, counts)
    return Bins(values, sums)


def decoded(text: str) -> Bins:
    """The bins of an encoded histogram (V2, compressed, base64).

    Raises:
        MeasureError: it is damaged.
    """
    try:
        _check(text)
        histogram = HdrHistogram.decode(text)
    except UNDECODABLE as error:
        raise MeasureError(
            f"a histogram is damaged ({str(error) or type(error).__name__}); measure the cell again"
        ) from error
    counts = np.frombuffer(histogram.counts, np.int64)
    places = np.flatnonzero(counts)
    return Bins(_middles(histogram, places), counts[places])


def _middles(histogram: HdrHistogram, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """The middles of bins, as the format lays them out: each half of a bucket is twice as wide."""
    magnitude, half = histogram.sub_bucket_half_count_magnitude, histogram.sub_bucket_half_count
    bucket = (places >> magnitude) - 1
    place = (places & (half - 1)) + half
    place = np.where(bucket < 0, place - half, place)
    shift = np.maximum(bucket, 0) + histogram.unit_magnitude
    width = np.left_shift(1, shift)
    middles: NDArray[np.float64] = np.left_shift(place, shift) + (width - 1) / 2
    return middles


def _check(text: str) -> None:
    """Refuse what would unpack to more than any histogram of ours, before it is decoded.

    Raises:
        ValueError, zlib.error, struct.error: it is not like ours.
    """
    packed = base64.b64decode(text, validate=True)[8:]
    payload = zlib.decompressobj().decompress(packed, MOST_BYTES)
    digits, lowest, highest = struct.unpack_from(">iqq", payload, 12)
    if not (1 <= digits <= DIGITS and lowest >= 1 and 2 * lowest <= highest < 2**62):
        raise ValueError("its range is impossible")
    if len(payload) >= MOST_BYTES:
        raise ValueError("it is too long")

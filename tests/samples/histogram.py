"""Samples of functorch_lite/ops/histogram.py. torch refuses derivatives of histograms; ours have none."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_values = T(np.array([1.0, 2.0, 1.0, 4.0, 2.5, 0.3], np.float32), grad=False)
_doubles = T(np.array([[0.2, 1.4], [0.9, -0.3]]), grad=False)
_weights = T(np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0], np.float32), grad=False)
_edges = T(np.array([0.0, 1.0, 2.5, 4.0], np.float32), grad=False)
_pairs = T(np.array([[1.0, 2.0], [0.0, 3.0], [2.0, 2.0], [1.5, 5.0]], np.float32), grad=False)
_pair_weights = T(np.array([1.0, 2.0, 3.0, 0.5], np.float32), grad=False)

SAMPLES: dict[str, list[Sample]] = {
    "histogram": [
        Sample(_values, 3),
        Sample(_values, 4, range=(0.0, 3.0)),
        Sample(_values, _edges),
        Sample(_values, _edges, weight=_weights, density=True),
        Sample(_doubles, 2),
        Sample(T(np.array([2.0, 2.0], np.float32), grad=False), 2),
        Sample(T(np.zeros(0, np.float32), grad=False), 2),
        Sample(T(np.array([1.0, np.nan, 2.0]), grad=False), 2, range=(0.0, 2.0)),
        Sample(_values, 0).raises(
            RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"
        ),
        Sample(_values, 3, range=(3.0, 1.0)).raises(
            RuntimeError, "min should not exceed max, but got min 3 max 1"
        ),
        Sample(T(np.array([1, 2])), 3).raises(
            NotImplementedError, "\"histogramdd\" not implemented for 'Long'"
        ),
        Sample(_values, T(np.array([0.0, 1.0]), grad=False)).raises(
            RuntimeError,
            "but got input with dtype float and bins for dimension 0 with dtype double",
        ),
        Sample(_values, 3, weight=T(np.ones(4, np.float32))).raises(
            RuntimeError, "but got input with shape [6, 1] and weight with shape [4]"
        ),
    ],
    "_bin_edges": [Sample(_pairs, 3, None, 1), Sample(_pairs, 2, (0.0, 1.0), 0)],
    "_histogramdd": [Sample(_pairs, [_edges, _edges], _pair_weights, True)],
    "histogramdd": [
        Sample(_pairs, [2, 3]),
        Sample(_pairs, 2),
        Sample(_pairs, [_edges, _edges]),
        Sample(_pairs, [2, 2], range=[0.0, 2.0, 0.0, 4.0], weight=_pair_weights, density=True),
        Sample(_values, [2]).raises(RuntimeError, "input tensor should have at least 2 dimensions"),
        Sample(_pairs, [2]).raises(RuntimeError, "The size of bins must be equal to the innermost dimension"),
        Sample(_pairs, [2, 2], range=[0.0, 1.0]).raises(
            RuntimeError, "for a 2-dimensional histogram range should have 4 elements, but got 2"
        ),
    ],
}

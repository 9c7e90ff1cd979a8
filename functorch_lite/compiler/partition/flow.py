"""Minimum cuts: Dinic's algorithm (E. A. Dinic, 1970), with integer capacities.

SciPy's `maximum_flow` takes capacities of 32 bits, which bytes of activations do not fit.
"""

from __future__ import annotations

__all__ = ["INFINITE", "Network"]

INFINITE = 1 << 100


class Network:
    """A network of `n` nodes; edges are added, then `minimum_cut` is asked for once.

    >>> network = Network(3)
    >>> network.add(0, 1, 5), network.add(1, 2, 3)
    (None, None)
    >>> network.minimum_cut(0, 2)
    (3, [True, True, False])
    """

    def __init__(self, n: int):
        self.to: list[int] = []
        self.left: list[int] = []
        self.out: list[list[int]] = [[] for _ in range(n)]

    def add(self, source: int, target: int, capacity: int) -> None:
        """Adds an edge."""
        self.out[source].append(len(self.to))
        self.to.append(target)
        self.left.append(capacity)
        self.out[target].append(len(self.to))
        self.to.append(source)
        self.left.append(0)

    def _levels(self, source: int, target: int) -> list[int] | None:
        level = [-1] * len(self.out)
        level[source] = 0
        front = [source]
        while front:
            following = []
            for u in front:
                for e in self.out[u]:
                    v = self.to[e]
                    if self.left[e] > 0 and level[v] < 0:
                        level[v] = level[u] + 1
                        following.append(v)
            front = following
        return level if level[target] >= 0 else None

    def minimum_cut(self, source: int, target: int) -> tuple[int, list[bool]]:
        """The capacity of a minimum cut, and which nodes are on the side of the source: as few as there can be. From INFINITE on there
        is no cut."""
        flow = 0
        while (level := self._levels(source, target)) is not None:
            at = [0] * len(self.out)
            while (found := self._path(source, target, level, at)) is not None:
                pushed = min(self.left[e] for e in found)
                for e in found:
                    self.left[e] -= pushed
                    self.left[e ^ 1] += pushed
                flow += pushed
                if flow >= INFINITE:
                    return flow, [False] * len(self.out)
        side = [False] * len(self.out)
        side[source] = True
        left = [source]
        while left:
            for e in self.out[left.pop()]:
                if self.left[e] > 0 and not side[self.to[e]]:
                    side[self.to[e]] = True
                    left.append(self.to[e])
        return flow, side

    def _path(self, source: int, target: int, level: list[int], at: list[int]) -> list[int] | None:
        """Edges of a path of rising levels on which something can still be pushed."""
        path: list[int] = []
        u = source
        while u != target:
            edges = self.out[u]
            while at[u] < len(edges):
                e = edges[at[u]]
                v = self.to[e]
                if self.left[e] > 0 and level[v] == level[u] + 1:
                    break
                at[u] += 1
            else:
                if not path:
                    return None
                u = self.to[path.pop() ^ 1]  # a dead end
                at[u] += 1
                continue
            path.append(e)
            u = v
        return path

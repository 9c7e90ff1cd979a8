"""Minimum cuts: Dinic's algorithm (E. A. Dinic, 1970), with integer capacities.

SciPy's `maximum_flow` takes capacities of 32 bits, which bytes of activations do not fit.
"""

from __future__ import annotations

__all__ = ["INFINITE", "Network"]

INFINITE = 1 << 100


class Network:
    """A network of `n` nodes. The flow is kept: when capacities have risen, the next cut starts from it.

    >>> network = Network(3)
    >>> network.add(0, 1, 5), network.add(1, 2, 3)
    (0, 2)
    >>> network.minimum_cut(0, 2)
    (3, [True, True, False])
    >>> network.widen(2, 1)
    >>> network.minimum_cut(0, 2)
    (4, [True, True, False])
    """

    def __init__(self, n: int):
        self.to: list[int] = []
        self.left: list[int] = []
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.flow = 0

    def add(self, source: int, target: int, capacity: int) -> int:
        """Adds an edge; its number."""
        edge = len(self.to)
        self.out[source].append(edge)
        self.out[target].append(edge + 1)
        self.to += (target, source)
        self.left += (capacity, 0)
        return edge

    def widen(self, edge: int, more: int) -> None:
        """Adds to the capacity of an edge."""
        self.left[edge] += more

    def copy(self) -> Network:
        """Copies the network, with what flows in it; edges are to be added to neither."""
        made = Network(0)
        made.to, made.out, made.left, made.flow = self.to, self.out, self.left.copy(), self.flow
        return made

    def _levels(self, source: int, target: int) -> list[int]:
        """Returns the distance of nodes from the source, as far as the target; -1 for nodes that are farther, or not
        reached."""
        level = [-1] * len(self.out)
        level[source] = 0
        front, far = [source], 0
        to, left, out = self.to, self.left, self.out
        while front and level[target] < 0:
            far += 1
            following = []
            for u in front:
                for e in out[u]:
                    if left[e] > 0 and level[to[e]] < 0:
                        level[to[e]] = far
                        following.append(to[e])
            front = following
        return level

    def minimum_cut(self, source: int, target: int) -> tuple[int, list[bool]]:
        """The capacity of a minimum cut, and which nodes are on the side of the source: as few as there can be.

        From INFINITE on no cut exists."""
        while (level := self._levels(source, target))[target] >= 0:
            self._push(source, target, level)
            if self.flow >= INFINITE:
                return self.flow, [False] * len(self.out)
        return self.flow, [k >= 0 for k in level]

    def _push(self, source: int, target: int, level: list[int]) -> None:
        """Pushes what can be pushed along paths of rising levels."""
        to, left, out = self.to, self.left, self.out
        at = [0] * len(out)
        path: list[int] = []
        u = source
        while True:
            if u == target:
                pushed = min([left[e] for e in path])
                self.flow += pushed
                if self.flow >= INFINITE:
                    return
                full = -1
                for k, e in enumerate(path):
                    left[e] -= pushed
                    left[e ^ 1] += pushed
                    if full < 0 and not left[e]:
                        full = k
                u = to[path[full] ^ 1]
                del path[full:]
            edges, k, above = out[u], at[u], level[u] + 1
            while k < len(edges) and not (left[edges[k]] > 0 and level[to[edges[k]]] == above):
                k += 1
            at[u] = k
            if k < len(edges):
                path.append(edges[k])
                u = to[edges[k]]
            elif path:
                u = to[path.pop() ^ 1]  # a dead end
                at[u] += 1
            else:
                return

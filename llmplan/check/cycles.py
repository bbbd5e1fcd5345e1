"""Circular definitions: names that call or inherit from themselves, directly or through others.

Input: for each name, the names that it refers to. Output: the names of each cycle. The time is linear in the size of
the graph, however long the chains are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

Edges = Mapping[str, Sequence[str]]


def circular(edges: Edges) -> set[str]:
    """The names that lead back to themselves; a name without an entry leads nowhere."""
    found: set[str] = set()
    number: dict[str, int] = {}  # by order of visit
    lowest: dict[str, int] = {}  # the first visited name that can be reached and is not yet finished
    unfinished: dict[str, None] = {}
    for start in edges:
        walk: list[tuple[str, Iterator[str]]] = []
        if start not in number:
            number[start] = lowest[start] = len(number)
            unfinished[start] = None
            walk.append((start, iter(edges[start])))
        while walk:
            name, rest = walk[-1]
            following = next(rest, None)
            if following is None:
                walk.pop()
                if walk:
                    lowest[walk[-1][0]] = min(lowest[walk[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    component = _taken(unfinished, name)
                    if len(component) > 1 or name in edges.get(name, ()):
                        found.update(component)
            elif following not in number:
                number[following] = lowest[following] = len(number)
                unfinished[following] = None
                walk.append((following, iter(edges.get(following, ()))))
            elif following in unfinished:
                lowest[name] = min(lowest[name], number[following])
    return found


def _taken(unfinished: dict[str, None], name: str) -> list[str]:
    """Removes a name and all names visited after it."""
    taken: list[str] = []
    while not taken or taken[-1] != name:
        taken.append(unfinished.popitem()[0])
    return taken


def shortest(edges: Edges, start: str, among: Collection[str]) -> list[str]:
    """The names of the shortest cycle through a name, beginning with it."""
    before: dict[str, str] = {}
    reached = [start]
    for name in reached:
        for following in edges.get(name, ()):
            if following == start:
                chain = [name]
                while chain[-1] != start:
                    chain.append(before[chain[-1]])
                return chain[::-1]
            if following in among and following not in before:
                before[following] = name
                reached.append(following)
    return [start]

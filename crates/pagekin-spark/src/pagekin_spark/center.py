"""Runs CENTER in rounds: a pair is decided when it is the first remaining pair of both URLs."""

from functools import reduce

from .frames import Rows, Stage, Steps


def centers(
    steps: Steps, pairs: Rows, twins: Rows, partitions: int, rounds: int, tail: int, joins: bool
) -> Rows:
    """Returns the center of each URL in a cluster.

    Runs rounds until no pairs or fewer than `tail` are undecided, at most `rounds` times. Then one
    task does the rest. If `joins`, clusters with all pairs between them are joined.
    """
    edges = steps.run("edges", pairs + twins, Stage("edges"))
    state = steps.run("round 0", edges, Stage("center", ["begin"], partitions))
    decided, made = [state.only("centers")], 0
    while state.of("live") >= max(tail, 1) and made < rounds:
        made += 1
        undecided = state.only("live", "messages")
        state = steps.run(f"round {made}", undecided, Stage("center", ["round"], partitions))
        decided.append(state.only("centers"))
    if state.of("live"):
        undecided = state.only("live", "messages")
        decided.append(steps.run("rest", undecided, Stage("center", ["rest"], 1)).only("centers"))
    found = reduce(Rows.__add__, decided)
    if joins and found.of("centers"):
        found = joined(steps, edges.only("edges"), found, partitions)
    return steps.run("centers", found + twins, Stage("clusters", by_bucket=partitions))


def joined(steps: Steps, edges: Rows, centers: Rows, partitions: int) -> Rows:
    """Returns the centers after joining clusters with all pairs between them."""

    def step(name: str, rows: Rows, tasks: int | None = partitions) -> Rows:
        return steps.run(f"join {name}", rows, Stage("join", [name], tasks))

    members = step("members", centers, None)
    sized = step("sizes", members)
    ends = step("ends", edges + sized)
    close = step("close", step("whole", ends + sized))
    if not close.of("close"):
        return centers
    return step("centers", members + step("all", close, 1))

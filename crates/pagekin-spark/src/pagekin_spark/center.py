"""CENTER in rounds: a pair is decided once it is the earliest of those of both its ends."""

from functools import reduce

from .frames import Rows, Stage, Steps


def centers(
    steps: Steps, pairs: Rows, twins: Rows, partitions: int, rounds: int, tail: int
) -> Rows:
    """Of each URL that is in a cluster its center.

    Rounds go on until no pair is undecided, or fewer than `tail`, or `rounds` times; one task does
    the rest.
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
    all_decided = reduce(Rows.__add__, decided) + twins
    return steps.run("centers", all_decided, Stage("clusters", by_bucket=partitions))

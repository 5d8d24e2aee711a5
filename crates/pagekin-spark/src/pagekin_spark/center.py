"""CENTER in rounds: what each URL's earliest pair is, and what the other end of it says."""

from .frames import Rows, Stage, Steps


def centers(
    steps: Steps, pairs: Rows, twins: Rows, partitions: int, rounds: int, tail: int
) -> Rows:
    """Of each URL that is in a cluster its center.

    Rounds go on until no pair is left to be decided, or few enough for one task, or `rounds` times.
    """

    def stage(step: str, at: int | None) -> Stage:
        return Stage("center", [f"--{step}"], at)

    edges = steps.run("edges", pairs + twins, stage("begin", None))
    state = steps.run("round 1", edges, stage("round", partitions))
    made = 1
    while state.live and made < rounds and state.live >= tail:
        made += 1
        state = steps.run(f"round {made}", state, stage("round", partitions))
    if state.live:
        state = steps.run("rest", state, stage("rest", 1))
    return steps.run("centers", state, stage("finish", partitions))

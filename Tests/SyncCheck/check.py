"""Checks with random schedules that edits that wait are seen, and that all agree at the end.

    python Tests/SyncCheck/check.py --seeds 200      random schedules, and the kept ones
    python Tests/SyncCheck/check.py --schedule FILE  one schedule, which is printed when it fails
    python Tests/SyncCheck/check.py --search         searches for a schedule for each rule

A failing schedule is shrunk and printed in the form in which it can be kept in the folder
`schedules`. A kept schedule with a `rule` must also fail while the client leaves the rule out.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from run import Run
from runner import Broken, Runner
from schedules import KEPT, Generator, Schedule, VersionGenerator, kept, shrink, text
from server import Server
from version_run import VersionRun

#: The rules of pending edits, and those of versions.
RULES = ("overlay", "drop_to_server")
VERSION_RULES = (
    "merge", "equal_is_done", "new_key", "newtag", "rebase", "edit_joins_conflict",
)

#: The seeds of `make test`, which are the same each time.
FIRST_SEED = 1


@functools.cache
def own_server() -> Server:
    return Server()


def run_of(schedule: Schedule, rules_off: str) -> Runner:
    kind = VersionRun if "versions" in schedule else Run
    return kind(own_server(), schedule, rules_off)


@dataclass(frozen=True, order=True)
class Seed:
    """A random schedule, for pending edits alone or for notes with versions."""

    number: int
    has_versions: bool

    def schedule(self) -> Schedule:
        return (VersionGenerator if self.has_versions else Generator)(self.number).schedule()

    def __str__(self) -> str:
        return f"{self.number}{' with versions' if self.has_versions else ''}"


def failure(schedule: Schedule, rules_off: str = "") -> str | None:
    """Performs a schedule. Returns what is wrong, or `None`."""
    try:
        run_of(schedule, rules_off).perform()
    except Broken as error:
        return str(error)
    except Exception as error:  # A client that ends or refuses a command is a failure, too.
        return f"{type(error).__name__}: {error}"
    return None


def failure_of_seed(seed: Seed) -> tuple[Seed, str | None]:
    return seed, failure(seed.schedule())


def failure_of_kept(name: str) -> tuple[str, str | None]:
    """Performs a kept schedule: it must pass, and fail without its rule."""
    schedule = kept()[name]
    if wrong := failure(schedule):
        return name, wrong
    rule = schedule.get("rule")
    if rule and failure(schedule, rule) is None:
        return name, f"it passes without the rule {rule}"
    return name, None


def finds(seed: Seed, rule: str) -> Seed | None:
    """Returns the seed if its schedule fails without a rule, and passes with it."""
    return seed if is_found_by(seed.schedule(), rule) else None


def is_found_by(schedule: Schedule, rule: str) -> bool:
    return failure(schedule, rule) is not None and failure(schedule) is None


def report(title: str, schedule: Schedule, wrong: str) -> None:
    print(f"{title} fails: {wrong}\nshrinking it ...", flush=True)
    small = shrink(schedule, lambda other: failure(other) is not None)
    print(f"{failure(small)}\nThe shrunk schedule, for Tests/SyncCheck/schedules:\n{text(small)}")


def check(seeds: list[Seed], processes: int, shrunk: int) -> bool:
    """Performs the kept schedules and random ones. Returns whether all pass."""
    start = time.monotonic()
    names = sorted(kept())
    good = True
    for rule in (*RULES, *VERSION_RULES):
        if not any(schedule.get("rule") == rule for schedule in kept().values()):
            print(f"no schedule is kept for the rule {rule}: make sync-check-long")
            good = False
    with multiprocessing.Pool(processes) as pool:
        for name, wrong in pool.imap_unordered(failure_of_kept, names):
            if wrong:
                print(f"{KEPT.name}/{name}.json fails: {wrong}")
                good = False
        failed = [
            (seed, wrong)
            for seed, wrong in pool.imap_unordered(failure_of_seed, seeds)
            if wrong
        ]
    for seed, wrong in sorted(failed)[shrunk:]:
        print(f"seed {seed} fails: {wrong}")
    for seed, wrong in sorted(failed)[:shrunk]:
        report(f"seed {seed}", seed.schedule(), wrong)
    took = time.monotonic() - start
    print(
        f"sync-check: {len(seeds)} schedules, {len(failed)} failed {[str(s) for s, _ in failed]};"
        f" {len(names)} kept schedules; {took:.0f} seconds"
    )
    return good and not failed


#: How many seeds of a search may fail to find a rule, and how many of those that do are shrunk.
SEARCHED_MAX, FOUND_MAX = 4_000, 4


def found(rule: str, first: int, processes: int) -> list[Seed]:
    """Returns the first seeds whose schedules find a rule."""
    seeds: list[Seed] = []
    with multiprocessing.Pool(processes) as pool:
        numbers = range(first, first + SEARCHED_MAX)
        all_seeds = [Seed(number, rule in VERSION_RULES) for number in numbers]
        for seed in pool.imap_unordered(functools.partial(finds, rule=rule), all_seeds):
            if seed is not None:
                seeds.append(seed)
            if len(seeds) == FOUND_MAX:
                break
    return seeds


def shrunk_for(seed: Seed, rule: str) -> Schedule:
    return shrink(seed.schedule(), lambda other: is_found_by(other, rule))


def search(rules: list[str], first: int, processes: int) -> bool:
    """Searches for a schedule for each rule, and keeps the smallest of those that are found."""
    for rule in rules:
        start = time.monotonic()
        seeds = found(rule, first, processes)
        with multiprocessing.Pool(processes) as pool:
            small = pool.map(functools.partial(shrunk_for, rule=rule), seeds, chunksize=1)
        if not small:
            print(f"no schedule was found for the rule {rule}")
            return False
        best = min(small, key=lambda schedule: (len(schedule["steps"]), len(text(schedule))))
        path = KEPT / f"{rule}.json"
        path.write_text(text({"rule": rule, **best}))
        print(f"the rule {rule}: {path}, {time.monotonic() - start:.0f} seconds", flush=True)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=FIRST_SEED)
    parser.add_argument("--shrunk", type=int, default=2, help="how many failures to shrink")
    parser.add_argument("--schedule", type=Path)
    parser.add_argument("--search", action="store_true")
    parser.add_argument(
        "--rules", nargs="+", choices=(*RULES, *VERSION_RULES),
        default=[*RULES, *VERSION_RULES], help="the rules of a search",
    )
    parser.add_argument("--versions", action="store_true", help="only schedules with versions")
    parser.add_argument("--processes", type=int, default=2 * (os.cpu_count() or 1))
    options = parser.parse_args()
    if options.schedule:
        schedule = json.loads(options.schedule.read_text())
        wrong = failure(schedule)
        print(wrong or "it passes")
        sys.exit(wrong is not None)
    if options.search:
        sys.exit(not search(options.rules, options.first, options.processes))
    numbers = range(options.first, options.first + options.seeds)
    kinds = [True] if options.versions else [False, True]
    seeds = [Seed(number, has_versions) for has_versions in kinds for number in numbers]
    sys.exit(not check(seeds, options.processes, options.shrunk))


if __name__ == "__main__":
    main()

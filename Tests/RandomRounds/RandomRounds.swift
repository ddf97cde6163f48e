import Glibc

/// Returns how many of the rounds of a test with random input run: a quarter of `all`, and at least
/// one, or all of them if the environment has RESTWAY_ALL_ROUNDS.
///
/// Input that is made from a fixed seed is the same in each run, so the first rounds find nearly
/// every mistake; the others are for changes of what the test is about.
public func rounds(_ all: Int) -> Int {
    getenv("RESTWAY_ALL_ROUNDS") == nil ? max(1, all / 4) : all
}

import Glibc
import Synchronization

/// Counts the forks between the first process and this one.
///
/// A child has the parent's memory but none of its threads, so what was made before a fork cannot
/// work after it. Who keeps the number at its birth can tell.
package enum ProcessGeneration {
    private static let number = Atomic<Int>(0)

    private static let isCounting: Bool = {
        pthread_atfork(nil, nil, { ProcessGeneration.number.add(1, ordering: .relaxed) }) == 0
    }()

    package static var current: Int {
        _ = isCounting
        return number.load(ordering: .relaxed)
    }
}

import Glibc
import Synchronization

/// Counts the forks between the first process and this one.
///
/// A child has the parent's memory but none of its threads. Objects made before a fork cannot work
/// after it. An object that stores the number at its creation can detect this.
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

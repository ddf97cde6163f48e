import Dispatch
import Foundation

/// Something that a test waits for.
final class Signal: Sendable {
    private let isGiven = DispatchSemaphore(value: 0)

    func give() { isGiven.signal() }

    /// Waits for it on the thread of a script.
    func wait() -> Bool { isGiven.wait(timeout: .now() + 30) == .success }

    /// Waits for it in a test.
    func given() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait()) }
        }
    }
}

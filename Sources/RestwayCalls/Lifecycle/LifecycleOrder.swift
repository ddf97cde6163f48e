/// The kinds of events in the life of a call. The raw values are those of the header.
package enum LifecycleKind: UInt32, CaseIterable, Sendable {
    case willBegin = 1
    case didBegin = 2
    case uploaded = 3
    case downloaded = 4
    case willMap = 5
    case tooSlow = 6
    case didSucceed = 7
    case didFail = 8
    case didCancel = 9

    /// The bit of the kind in a set of kinds.
    package var bit: UInt64 { 1 << UInt64(rawValue) }

    /// All kinds together.
    package static let allBits = allCases.reduce(UInt64(0)) { $0 | $1.bit }
}

/// Decides which events of a call are told, and in which order.
///
/// Every call has one `willBegin`, which comes first, and one end, which comes last. Progress comes
/// only while an exchange is the last thing that has begun. A call is too slow at most once.
struct LifecycleOrder {
    private enum Phase {
        case new, begun, exchanging, mapping, ended
    }

    private var phase = Phase.new
    private var wasTooSlow = false

    /// Records that something has happened.
    ///
    /// - Returns: The events that are told now, in this order. They are empty for something that
    ///   comes too late, such as the progress of an exchange that the call has left.
    mutating func happened(_ kind: LifecycleKind) -> [LifecycleKind] {
        guard isAllowed(kind) else { return [] }
        // A close on another thread may end a call before its sender has told its beginning.
        let owesBeginning = phase == .new && kind != .willBegin
        switch kind {
        case .willBegin: phase = .begun
        case .didBegin: phase = .exchanging
        case .willMap: phase = .mapping
        case .tooSlow: wasTooSlow = true
        case .uploaded, .downloaded: break
        case .didSucceed, .didFail, .didCancel: phase = .ended
        }
        return owesBeginning ? [.willBegin, kind] : [kind]
    }

    private func isAllowed(_ kind: LifecycleKind) -> Bool {
        guard phase != .ended else { return false }
        switch kind {
        case .willBegin: return phase == .new
        case .uploaded, .downloaded: return phase == .exchanging
        case .tooSlow: return phase != .new && !wasTooSlow
        case .didBegin, .willMap, .didSucceed, .didFail, .didCancel: return true
        }
    }
}

import RestwaySupport

/// Where the sending of an outbox stands.
struct FlushState {
    /// What a flush overrides.
    enum Urgency: Int, Comparable {
        /// Nothing: it goes by the clock.
        case ordinary
        /// The waits that are the outbox's own: the network is back, or the host wants it.
        case eager
        /// Those too that the server asked for.
        case forced

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    /// In one piece: of a flush there may be very many.
    final class SentReport: Sendable {
        let request: StoredRequest

        init(_ request: StoredRequest) {
            self.request = request
        }
    }

    /// By age, each as it stood at last.
    static func requests(_ sent: [SentReport]) -> [StoredRequest] {
        // They are nearly in order.
        let order = sent.indices.sorted {
            (sent[$0].request.id, $0) < (sent[$1].request.id, $1)
        }
        return order.enumerated().compactMap { place, index in
            let isLast = place + 1 == order.count
                || sent[order[place + 1]].request.id != sent[index].request.id
            return isLast ? sent[index].request : nil
        }
    }

    /// Who is told when the flush under way is over.
    struct Waiter {
        let token: UInt64
        let receiver: OutboxReceiver
    }

    /// A flush is under way.
    var isActive = false
    /// The host has asked for it, and it goes on also while the host rules the server out.
    var isByHand = false
    var urgency = Urgency.ordinary
    /// A worker looks what may go out; another look is wanted after it.
    var isLooking = false
    var mustLookAgain = false
    /// Calls, or batches, that are out.
    var underWay = 0
    /// Those that were answered, and of which it is being written what became of them: their lanes
    /// are taken until that is done.
    var beingSettled = 0
    /// Nothing more goes out in this flush.
    var hasStopped = false
    /// Waits are still to be cut short.
    var owesHurry = false
    /// In the order in which they were settled; one that went out again stands there again.
    var sent: [SentReport] = []
    /// Why it could not go on.
    var failure: Failure?
    var waiters: [Waiter] = []

    /// Before this nothing goes out by itself: the server could not be reached.
    var heldUntil = Deadline.past
    var timer: TimerTicket?
    var timerAt = Deadline.never

    /// A flush begins; the one before is over.
    mutating func begin() {
        isActive = true
        isByHand = false
        urgency = .ordinary
        hasStopped = false
        owesHurry = false
        sent = []
        failure = nil
    }
}

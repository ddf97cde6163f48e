import RestwayThreads

/// The state of the delivery of an outbox.
struct FlushState {
    /// The waits that a flush cuts short.
    enum Urgency: Int, Comparable {
        /// The flush cuts no waits short: each item goes out at its time.
        case ordinary
        /// The flush cuts short the waits that the outbox chose itself, as the network is back or
        /// the program asked for it.
        case eager
        /// The flush also cuts short the waits that the server asked for.
        case forced

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    /// One report about an item. It is a class because a flush may have very many reports.
    final class SentReport: Sendable {
        let request: StoredRequest

        init(_ request: StoredRequest) {
            self.request = request
        }
    }

    /// Returns the last report about each item, ordered by the age of the item.
    static func requests(_ sent: [SentReport]) -> [StoredRequest] {
        // The reports are nearly in order.
        let order = sent.indices.sorted {
            (sent[$0].request.id, $0) < (sent[$1].request.id, $1)
        }
        return order.enumerated().compactMap { place, index in
            let isLast = place + 1 == order.count
                || sent[order[place + 1]].request.id != sent[index].request.id
            return isLast ? sent[index].request : nil
        }
    }

    /// The function that is called when the current flush is over.
    struct Waiter {
        let token: UInt64
        let receiver: OutboxReceiver
    }

    /// Whether a flush is running.
    var isActive = false
    /// Whether the program asked for this flush. Then it also goes on while the program says that
    /// the server cannot be reached.
    var isByHand = false
    var urgency = Urgency.ordinary
    /// Whether a worker looks for items that may go out, and whether it must look again afterwards.
    var isLooking = false
    var mustLookAgain = false
    /// The number of calls, or batch calls, that wait for their answers.
    var underWay = 0
    /// The number of calls whose results are being written after their answers came. Their lanes
    /// stay busy until the results are written.
    var beingSettled = 0
    /// Whether this flush sends nothing more.
    var hasStopped = false
    /// Whether waits still have to be cut short.
    var owesHurry = false
    /// The reports in the order in which they were written. An item that went out twice has two.
    var sent: [SentReport] = []
    /// Why the flush could not go on.
    var failure: Failure?
    var waiters: [Waiter] = []

    /// Whether another process was the sender when this process last tried to send.
    var isSentByAnother = false

    /// The outbox sends nothing by itself before this time, because the server could not be
    /// reached.
    var heldUntil = Deadline.past
    var timer: TimerTicket?
    var timerAt = Deadline.never

    /// Starts a flush after the previous one has ended.
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

import RestwaySupport

/// The small answers of one look at the sockets, which one worker maps, one after the other, and
/// whose notices it runs then.
final class Round: Sendable {
    /// So many do not wait for more: a worker begins while the transport reads on.
    static let worksMax = 5

    private let works = Lock<[@Sendable () -> Void]>([])
    private let pool: WorkerPool
    private let delivery: Delivery

    init(_ pool: WorkerPool, _ delivery: Delivery) {
        self.pool = pool
        self.delivery = delivery
    }

    var count: Int { works.withLock { $0.count } }

    func append(_ work: @escaping @Sendable () -> Void) {
        let isFull = works.withLock { works in
            works.append(work)
            return works.count >= Self.worksMax
        }
        if isFull { end() }
    }

    /// The transport has told of all that came together.
    func end() {
        let works = works.withLock { works in
            defer { works = [] }
            return works
        }
        guard !works.isEmpty else { return }
        pool.submit { [delivery] in
            for work in works { work() }
            delivery.roundEnded()
        }
    }
}

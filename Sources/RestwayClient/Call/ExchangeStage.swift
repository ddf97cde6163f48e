import RestwayBatch
import RestwayHTTP
import RestwayRouting
import RestwayText
import RestwayThreads

/// The result that the transport has brought for one exchange.
struct ReceivedExchange: Sendable {
    let result: Result<ExchangeSummary, TransportError>
    let recorder: ExchangeRecorder
}

/// The stage in which the transport, or the batch session for an item of a batch, sends the request
/// and receives the answer.
enum ExchangeStage {
    static func enter(_ entry: StageEntry, _ exchange: Exchange) {
        if entry.request.travelsInBatch { board(entry) } else { send(entry, exchange) }
    }

    // MARK: By the transport

    private static func send(_ entry: StageEntry, _ exchange: Exchange) {
        let (call, client, request) = (entry.call, entry.client, entry.request)
        var exchange = exchange
        let (deadline, isAwaited) = call.state.withLock { state in
            // With a reader, the I/O thread does the work: the waiting thread may hold what the
            // program's function needs.
            let isAwaited = state.isAwaited && entry.place != .worker && request.reader == nil
            return (state.deadline, isAwaited)
        }
        if deadline != .never {
            let left = deadline.milliseconds(since: client.clock.now())
            guard left > 0 else {
                return entry.fail(Failure(.timedOut, "\(call.description) timed out"))
            }
            exchange.timeouts.totalMilliseconds = left
        }
        call.log.sends(exchange)
        let recorder = ExchangeRecorder(
            bodyBytesMax: client.options.bodyBytesMax, isAwaited: isAwaited,
            progressed: call.progressFunction(for: request)
        ) { result, recorder in
            let received = ReceivedExchange(result: result, recorder: recorder)
            entry.pass(.received(received), on: .transport)
        }
        let id = client.transports.start(exchange, through: request.transport, observer: recorder)
        let isNamed = call.state.withLock { state in
            guard state.machine.isCurrent(entry.number) else { return false }
            state.ties.exchange = id
            return true
        }
        // The call ended before the number of its exchange was known.
        if !isNamed, !recorder.isFinished { client.transports.cancel(id) }
    }

    // MARK: In a batch

    private static func board(_ entry: StageEntry) {
        let part = entry.call.state.withLock { $0.ties.part }
        // If the call is no item, it has ended.
        guard case .item(let session, let index)? = part else { return }
        let item: BatchItem
        do {
            item = try entry.client.batchItem(entry.request)
        } catch {
            return entry.fail(error)
        }
        entry.call.log.sends(entry.request.exchange)
        session.arrive(index, passenger(entry, item))
    }

    /// Takes the answer to a request that was sent before it became a call.
    static func take(_ answer: BatchAnswer, credential: UInt64?, _ entry: StageEntry) {
        let item = BatchItem(method: entry.request.exchange.method, uri: "")
        passenger(entry, item).receive(answer, credential: credential)
    }

    private static func passenger(_ entry: StageEntry, _ item: BatchItem) -> BatchPassenger {
        let recorder = ExchangeRecorder(
            bodyBytesMax: entry.client.options.bodyBytesMax,
            progressed: entry.call.progressFunction(for: entry.request)
        ) { result, recorder in
            // This is a worker. It handles one item after the other, so that their objects are
            // stored in order.
            let received = ReceivedExchange(result: result, recorder: recorder)
            entry.pass(.received(received), on: .worker)
        }
        return BatchPassenger(
            item: item, url: entry.request.exchange.url, call: entry.call, recorder: recorder)
    }
}

extension Call {
    /// Records the credential of the batch call as the credential of this one.
    func wasCarried(with credential: UInt64?) {
        state.withLock { $0.attempts.credential = credential }
    }
}

extension Client {
    /// Turns a request into an item of a batch, or throws if it cannot be one.
    func batchItem(_ request: PreparedRequest) throws(Failure) -> BatchItem {
        let exchange = request.exchange
        guard let uri = environment.baseURL.uri(of: exchange.url) else {
            throw Failure(
                .invalidURL,
                "\(URLText.withoutQuery(exchange.url)) is not below the base URL: a batch cannot "
                    + "hold it")
        }
        var item = BatchItem(method: exchange.method, uri: uri, headers: exchange.headers)
        switch (request.reader, exchange.body) {
        case (nil, .none):
            break
        case (nil, .bytes(let bytes)):
            guard batchFormat.takesBinaryBodies || String(validating: bytes, as: UTF8.self) != nil
            else {
                throw Failure(
                    .invalidArgument,
                    "a batch holds bodies as text, and this one is none in UTF-8", field: "body")
            }
            item.body = bytes
        default:
            throw Failure(
                .invalidArgument, "a body that a reader gives cannot be part of a batch",
                field: "body")
        }
        return item
    }
}

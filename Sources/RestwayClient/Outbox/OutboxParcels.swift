import RestwayBatch
import RestwayHTTP
import RestwayMapping
import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// Items that go out in a batch without a call for each of them, because their answers change no
/// object. An item becomes a call only if it fails or if its answer has to be mapped.
final class OutboxParcels: BatchSender {
    private struct Parcel {
        let item: OutboxItem
        let method: Method
        let target: Target
    }

    /// The place to which requests go. Neighbouring items usually share one.
    private final class Target: Sendable {
        /// The path as it is stored.
        let stored: String
        let url: String
        /// The path below the base URL.
        let path: String
        /// The path as a batch names it.
        let uri: String

        init?(_ stored: String, _ base: BaseURL) {
            guard let url = try? base.url(path: stored), let path = base.relativePath(of: url),
                let uri = base.uri(of: url)
            else { return nil }
            self.stored = stored
            self.url = url
            self.path = path
            self.uri = uri
        }
    }

    private struct State {
        /// The items by their positions in the batch; `nil` for a position that has a call.
        var parcels: [Parcel?] = []
        var lastTarget: Target?
    }

    private let outbox: Outbox
    private let client: Client
    private let api: LoadedAPI
    private let format: any BatchFormat
    private let dispatch: OutboxDispatch
    private let state = Lock(State())

    init(_ outbox: Outbox, _ client: Client, _ dispatch: OutboxDispatch) {
        self.outbox = outbox
        self.client = client
        self.dispatch = dispatch
        api = client.api.loaded
        format = client.batchFormat
    }

    /// Adds an item to the batch. Returns false if the item needs a call from the start.
    func add(_ item: OutboxItem, to session: BatchSession) -> Bool {
        let entry = item.entry
        guard entry.creates == nil, entry.entity == nil, entry.context.isEmpty,
            let method = Method(token: entry.method), method != .delete,
            let target = target(entry.path)
        else { return false }
        if let body = entry.body, !format.takesBinaryBodies, body.contains(where: { $0 >= 0x80 }),
            String(validating: body, as: UTF8.self) == nil
        {
            return false
        }
        var headers = Headers(entry.headers)
        headers.set(IdempotencyKey.headerName, entry.idempotencyKey)
        let index = session.add(
            BatchItem(
                method: entry.method, uri: target.uri, headers: headers.fields, body: entry.body))
        state.withLock { state in
            state.lastTarget = target
            let calls = index - state.parcels.count
            if calls > 0 { state.parcels += Array(repeating: nil, count: calls) }
            state.parcels.append(Parcel(item: item, method: method, target: target))
        }
        return true
    }

    private func target(_ stored: String) -> Target? {
        if let last = state.withLock({ $0.lastTarget }), last.stored == stored { return last }
        return Target(stored, client.environment.baseURL)
    }

    private func parcel(_ index: Int) -> Parcel? {
        state.withLock { $0.parcels.indices.contains(index) ? $0.parcels[index] : nil }
    }

    // MARK: BatchSender

    func take(_ index: Int, _ answer: BatchAnswer) -> Bool {
        guard let parcel = parcel(index), (200..<300).contains(answer.code),
            answer.body.count <= client.options.bodyBytesMax,
            !answer.headers.contains(where: { $0.isNamed("Content-Encoding") }),
            !api.hasPlan(
                method: parcel.method, status: answer.code,
                DescriptorChoice(
                    route: parcel.item.entry.route.flatMap(api.definition.routes.route(key:)),
                    path: parcel.target.path))
        else { return false }
        Log.shared.write(
            .info, .client,
            "item \(parcel.item.id) of the outbox, \(parcel.method.rawValue) "
                + "\(outbox.redaction.url(parcel.target.url)): \(answer.code), "
                + "\(answer.body.count) bytes")
        let response = Response(
            ReceivedResponse(
                status: answer.code, headers: Headers(answer.headers), url: parcel.target.url,
                body: Body(answer.body)))
        outbox.ended(parcel.item, .success(response), dispatch, isOnWorker: true)
        return true
    }

    func makeCall(_ index: Int) throws(Failure) -> Call {
        guard let item = parcel(index)?.item else {
            throw Failure(.internal, "request \(index) of a batch is no item of the outbox")
        }
        var spec = outbox.spec(item)
        spec.travelsInBatch = true
        let (outbox, dispatch) = (outbox, dispatch)
        let call = try client.makeCall(spec, token: 0, receiver: nil)
        call.follow { outcome in outbox.ended(item, outcome, dispatch) }
        return call
    }

    func fail(_ index: Int, _ failure: Failure) {
        guard let item = parcel(index)?.item else { return }
        outbox.ended(item, .failure(failure), dispatch)
    }
}

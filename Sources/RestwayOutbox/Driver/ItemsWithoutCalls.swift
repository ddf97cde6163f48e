import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

/// Items that go out in a batch without a call for each of them, because their answers change no
/// object. An item gets a call only if it fails or if its answer has to be mapped.
///
/// This is a short way beside `RequestBatch.add` with a call for each item
/// (docs/performance/short-ways.md). It is in this file, behind `BatchSender`, and
/// `OutboxBatchTests` compares both ways.
final class ItemsWithoutCalls: BatchSender {
    private struct Entry {
        let item: OutboxItem
        let method: Method
        let url: String
        /// The path below the base URL.
        let path: String
    }

    private let driver: FlushDriver
    private let sender: any StoredRequestSender
    private let sending: FlushDriver.Sending
    private let api: LoadedAPI
    /// The items by their positions in the batch; `nil` for a position that has a call.
    private let entries = Lock<[Entry?]>([])

    init(_ driver: FlushDriver, _ sender: any StoredRequestSender, _ sending: FlushDriver.Sending) {
        self.driver = driver
        self.sender = sender
        self.sending = sending
        api = driver.around.api.loaded
    }

    /// Adds an item to the batch. Returns false if the item needs a call from the start.
    func add(_ item: OutboxItem, to session: any RequestBatch) -> Bool {
        let (entry, base) = (item.entry, driver.around.baseURL)
        guard entry.creates == nil, entry.origin.entity == nil, entry.origin.context.isEmpty,
            let method = Method(token: entry.method), method != .delete,
            let url = try? base.url(path: entry.path), let path = base.relativePath(of: url),
            let uri = base.uri(of: url)
        else { return false }
        // The loop checks all bytes without stopping early, so that many are checked at once.
        if let body = entry.body, !session.takesBinaryBodies, body.reduce(0, |) >= 0x80,
            String(validating: body, as: UTF8.self) == nil
        {
            return false
        }
        var headers = Headers(entry.headers)
        headers.set(IdempotencyKey.headerName, entry.idempotencyKey)
        let index = session.add(
            BatchItem(
                method: entry.method, uri: uri, headers: headers.fields, body: entry.body))
        entries.withLock { entries in
            let calls = index - entries.count
            if calls > 0 { entries += Array(repeating: nil, count: calls) }
            entries.append(Entry(item: item, method: method, url: url, path: path))
        }
        return true
    }

    private func entry(_ index: Int) -> Entry? {
        entries.withLock { $0.indices.contains(index) ? $0[index] : nil }
    }

    // MARK: BatchSender

    var mayGo: Bool { sending.items.allSatisfy(driver.around.mayGo) }

    func take(_ index: Int, _ answer: BatchAnswer) -> Bool {
        guard let entry = entry(index), (200..<300).contains(answer.code),
            answer.body.count <= driver.around.bodyBytesMax,
            !answer.headers.contains(where: { $0.isNamed("Content-Encoding") }),
            !Self.mayBePage(answer),
            case let route = entry.item.entry.origin.route.flatMap(
                api.definition.routes.route(key:)),
            api.definition.answerRules(of: route).areUsual,
            !api.hasPlan(
                method: entry.method, status: answer.code,
                DescriptorChoice(route: route, path: entry.path))
        else { return false }
        Log.shared.write(
            .info, .outbox,
            "item \(entry.item.id) of the outbox, \(entry.method.rawValue) "
                + "\(api.definition.redaction.url(entry.url)): \(answer.code), "
                + "\(answer.body.count) bytes")
        let received = ReceivedResponse(
            status: answer.code, headers: Headers(answer.headers), url: entry.url,
            body: Body(answer.body))
        tellCache(received, entry)
        driver.ended(entry.item, .success(Response(received)), sending, on: .worker)
        return true
    }

    /// Whether the answer may be a page of HTML. Then a call decides what it means.
    private static func mayBePage(_ answer: BatchAnswer) -> Bool {
        let type = answer.headers.first { $0.isNamed("Content-Type") }
        return type.map { MediaType.isHTML($0.value) } ?? (answer.body.first == UInt8(ascii: "<"))
    }

    /// Lets the response cache drop the entries that the answer makes invalid.
    private func tellCache(_ answer: ReceivedResponse, _ entry: Entry) {
        guard let cache = driver.around.cache, let owner = driver.around.cacheOwner(of: entry.item)
        else { return }
        let routes = api.definition.routes
        let route = entry.item.entry.origin.route.flatMap(routes.route(key:))
        let plan = CachePlan(
            rules: route.map { api.definition.settings(of: $0).cache } ?? CacheRules(),
            mode: .bypass, route: route?.name, discriminator: owner.discriminator,
            holder: driver.around.credentials.concernsCalls ? owner.holder : nil)
        cache.observed(answer, to: entry.method.rawValue, entry.url, plan)
    }

    func makeCall(_ index: Int) throws(Failure) -> Call {
        guard let item = entry(index)?.item else {
            throw Failure(.internal, "request \(index) of a batch is no item of the outbox")
        }
        var spec = driver.spec(item)
        spec.isInBatch = true
        let (driver, sending) = (driver, sending)
        return try sender.makeCall(ofStored: spec) { driver.ended(item, $0, sending) }
    }

    func fail(_ index: Int, _ failure: Failure) {
        guard let item = entry(index)?.item else { return }
        driver.ended(item, .failure(failure), sending)
    }
}

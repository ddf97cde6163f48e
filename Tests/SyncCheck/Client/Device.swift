import Glibc
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayJSON
import RestwayObjects
import RestwayOutbox
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwaySQLite
import RestwayStore
import RestwayThreads

/// One device of `make sync-check`: a client with a store and an outbox, whose clock does not run.
///
/// The program says that the server cannot be reached, so that writes are stored; a flush by hand
/// sends them all the same.
final class Device {
    typealias Reply = [(key: String, value: JSONValue)]

    struct WrongCommand: Error {
        let command: String
    }

    private let deathClock = DeathClock()
    private var clock = ManualClock()
    private var client: Client?
    private var witness = Witness()
    /// Calls that were begun and not awaited.
    private var begun: [String: Call] = [:]

    init() {
        deathClock.begin()
    }

    func perform(_ command: JSONValue) throws -> Reply {
        let name = command["do"]?.string ?? ""
        switch name {
        case "open": try open(command)
        case "close": close()
        case "die": deathClock.arm(command["after"]?.integer ?? 1)
        case "edit": return try edit(command)
        case "delete": return try send(.delete, command, of: copy(command))
        case "fetch": return try fetch(command)
        case "online": return outcome(of: try current.send(try request(command)))
        case "begin": return try begin(command)
        case "end": return try end(command)
        case "reach":
            let isKnown = command["ruledOut"]?.bool ?? false
            try current.setReachability(isKnown ? .unreachable : .unknown)
        case "flush": return try flush()
        case "drop": _ = try outbox.drop(command["item"]?.integer ?? 0)
        case "retry": try outbox.retry(command["item"]?.integer ?? 0)
        case "resolve": try resolve(command)
        case "advance": clock.advance(milliseconds: command["milliseconds"]?.integer ?? 0)
        case "look": return try look()
        default: throw WrongCommand(command: name)
        }
        return [("ok", .bool(true))]
    }

    private var current: Client {
        get throws {
            guard let client else { throw WrongCommand(command: "no client is open") }
            return client
        }
    }

    private var outbox: Outbox { get throws { try current.requireOutbox() } }
    private var note: Entity { get throws { try current.api.entity(named: "Note") } }

    // MARK: The client

    private func open(_ command: JSONValue) throws {
        let url = command["url"]?.string ?? ""
        let text =
            command["versions"].map { versions in
                Self.document(url, command["device"]?.integer ?? 0, versions)
            } ?? Self.document(url)
        clock = ManualClock()
        var options = ClientOptions()
        options.files.outbox = command["outbox"]?.string
        options.files.store = command["store"]?.string
        options.randomSeed = 1
        let bytes = Array(text.utf8)
        let api: Result<API, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try API(document: bytes) }
        }
        client = try Client(api: api.get(), options: options, clock: clock)
        try current.setReachability(.unreachable)
        witness = Witness()
        _ = try current.store.add(witness, .everything)
    }

    private func close() {
        client?.close()
        client = nil
    }

    private static func document(_ url: String) -> String {
        """
        {"restway": 1,
         "environments": {"loopback": {"baseURL": "\(url)"}},
         "outbox": {"path": "unused.db", "intervalMilliseconds": -1},
         "entities": {"Note": {"identity": "id", "attributes": {
            "id": {"type": "int"}, "ref": {"type": "string"}, "title": {"type": "string"},
            "text": {"type": "string"}, "status": {"type": "string"}}}},
         "routes": {
            "note": {"method": ["PUT", "PATCH", "DELETE"], "path": "notes/:id", "entity": "Note",
                     "response": {"entity": "Note"},
                     "request": {"method": "PATCH", "changedOnly": true}, "offline": true},
            "new": {"method": "POST", "path": "notes", "entity": "Note",
                    "response": {"entity": "Note"}, "offline": true},
            "read": {"path": "notes/:id", "response": {"entity": "Note"}},
            "list": {"path": "notes", "response": {"entity": "Note"}},
            "first": {"method": "PATCH", "path": "first/:id", "response": {"entity": "Note"},
                      "request": {"entity": "Note", "changedOnly": true},
                      "offline": {"store": "first"}},
            "live": {"method": "PATCH", "path": "live/:id", "response": {"entity": "Note"},
                     "request": {"entity": "Note", "changedOnly": true}, "optimistic": true}}}
        """
    }

    /// The document for notes with versions.
    ///
    /// - Parameter policies: The policies of conflicts about whole notes.
    private static func document(_ url: String, _ device: Int64, _ policies: JSONValue) -> String {
        let words = ["theyDeleted", "iDelete", "uncertain"].map { name in
            "\"\(name)\": \"\(policies[name]?.string ?? "park")\", "
        }
        let version =
            switch policies["form"]?.string {
            case "attribute": #"{"attribute": "rev", "ordered": true}"#
            case "body": #"{"attribute": "rev", "ordered": true, "send": {"body": "rev"}}"#
            default: #"{"header": "ETag"}"#
            }
        let rev = version.contains("rev") ? #"{"type": "int", "readOnly": true}"# : nil
        return """
            {"restway": 1,
             "environments": {
                "loopback": {"baseURL": "\(url)", "headers": {"X-Device": "\(device)"}}},
             "outbox": {"path": "unused.db", "intervalMilliseconds": -1},
             "entities": {"Note": {"identity": "id", "version": \(version),
                "conflicts": {\(words.joined())"attributes": {
                    "title": "mine", "status": "theirs", "views": "add", "tags": "union"}},
                "attributes": {\(rev.map { "\"rev\": \($0), " } ?? "")
                    "id": {"type": "int"}, "ref": {"type": "string"}, "title": {"type": "string"},
                    "text": {"type": "string"}, "status": {"type": "string"},
                    "views": {"type": "int"}, "tags": {"type": ["string"]}}}},
             "routes": {
                "note": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "notes/:id",
                         "entity": "Note", "response": {"entity": "Note"},
                         "request": {"method": "PATCH", "changedOnly": true}, "offline": true},
                "new": {"method": "POST", "path": "notes", "entity": "Note",
                        "response": {"entity": "Note"}, "offline": true},
                "read": {"path": "notes/:id", "response": {"entity": "Note"}},
                "list": {"path": "notes", "response": {"entity": "Note"}},
                "live": {"method": "PATCH", "path": "live/:id", "response": {"entity": "Note"},
                         "request": {"entity": "Note", "changedOnly": true}}}}
            """
    }

    // MARK: Objects

    /// Finds the object of a command: by its identity, or by the name that it has for the check.
    private func find(_ command: JSONValue) throws -> Snapshot {
        let name = command["ref"]?.string ?? ""
        if let id = command["id"]?.integer,
            let found = try current.store.object(note, .integer(id))
        {
            return found
        }
        let found = try objects(.hide).first { object in
            object.value(named: "ref") == .string(name)
        }
        guard let found else { throw WrongCommand(command: "no note is called \(name)") }
        return found
    }

    private func objects(_ deletes: Query.PendingDeletes) throws -> [Snapshot] {
        var query = Query(try note)
        query.pendingDeletes = deletes
        return try current.store.objects(query)
    }

    private func copy(_ command: JSONValue) throws -> Draft {
        try current.store.draft(copying: find(command))
    }

    private func edit(_ command: JSONValue) throws -> Reply {
        let method: Method =
            switch command["method"]?.string {
            case "POST": .post
            case "PUT": .put
            default: .patch
            }
        let draft = method == .post ? try current.store.draft(note) : try copy(command)
        if method == .post { try set("ref", command["ref"], draft) }
        try set(command["set"], draft)
        return try send(method, command, of: draft)
    }

    private func set(_ values: JSONValue?, _ draft: Draft) throws {
        for member in values?.members ?? [] { try set(member.key, member.value, draft) }
    }

    private func set(_ name: String, _ value: JSONValue?, _ draft: Draft) throws {
        try draft.set(Self.value(value), attribute: index(name))
    }

    private func index(_ name: String) throws -> Int {
        guard let index = try note.attributeIndex(named: name) else {
            throw WrongCommand(command: "no attribute \(name)")
        }
        return index
    }

    private static func value(_ json: JSONValue?) -> Value {
        if let number = json?.integer { return .int64(number) }
        if let list = json?.elements {
            return .json(String(decoding: JSONValue.array(list).text(), as: UTF8.self))
        }
        return .string(json?.string ?? "")
    }

    // MARK: Requests

    private func send(_ method: Method, _ command: JSONValue, of draft: Draft) throws -> Reply {
        var spec = RequestSpec(
            target: .subject(method), subject: .draft(draft, try current.store))
        spec.headers.append((name: "X-Tag", value: command["tag"]?.string))
        return outcome(of: try current.send(spec))
    }

    private func request(_ command: JSONValue) throws -> RequestSpec {
        if let set = command["set"] {
            let draft = try copy(command)
            try self.set(set, draft)
            let route = command["route"]?.string ?? "live"
            var spec = RequestSpec(
                target: .route(route, .patch), subject: .draft(draft, try current.store))
            spec.headers.append((name: "X-Tag", value: command["tag"]?.string))
            return spec
        }
        guard let id = command["id"]?.integer else {
            return RequestSpec(target: .route("list", .get))
        }
        var spec = RequestSpec(target: .route("read", .get))
        spec.variables["id"] = .value(.string("\(id)"))
        return spec
    }

    private func fetch(_ command: JSONValue) throws -> Reply {
        outcome(of: try current.send(try request(command)))
    }

    private func begin(_ command: JSONValue) throws -> Reply {
        begun[command["name"]?.string ?? ""] = try current.send(try request(command))
        return [("ok", .bool(true))]
    }

    private func end(_ command: JSONValue) throws -> Reply {
        guard let call = begun.removeValue(forKey: command["name"]?.string ?? "") else {
            throw WrongCommand(command: "no such call")
        }
        return outcome(of: call)
    }

    private func outcome(of call: Call) -> Reply {
        do {
            let response = try call.wait(milliseconds: 0)
            return [("status", .integer(Int64(response.status)))]
        } catch {
            return [
                ("status", .integer(Int64(error.httpStatus))), ("item", .integer(error.outboxID)),
                ("failure", .string("\(error.reason)")), ("message", .string(error.message)),
            ]
        }
    }

    /// Sends what may be sent, and returns when the flush has ended.
    private func flush() throws -> Reply {
        let ended = Monitor<[String]?>(nil)
        try outbox.flush(
            isForced: true,
            told: OutboxReceiver { list in
                ended.update { $0 = list.all.map { "\($0.id) \($0.state)" } }
            })
        let words = ended.wait { $0 } ?? []
        return [("ended", .array(words.map { .string($0) }))]
    }

    // MARK: Conflicts

    private func resolve(_ command: JSONValue) throws {
        let item = command["item"]?.integer ?? 0
        guard let conflict = try outbox.conflicts().first(where: { $0.item == item }) else {
            throw WrongCommand(command: "no conflict \(item)")
        }
        conflict.choose(command["choice"]?.string == "theirs" ? .theirs : .mine)
        for (name, value) in command["set"]?.members ?? [] {
            conflict.choose(.value(Self.value(value)), cell: try index(name))
        }
        try outbox.resolve(conflict)
    }

    private func conflicts() throws -> [JSONValue] {
        try outbox.conflicts().map { conflict in
            let names = conflict.cells.map { conflict.entity.cellName($0) }
            return .object([
                ("item", .integer(conflict.item)), ("kind", .string("\(conflict.kind)")),
                ("cells", .array(names.map { .string($0) })),
                ("base", Self.json(conflict.base)), ("mine", Self.json(conflict.mine)),
                ("theirs", conflict.theirs.map { Self.json($0) } ?? .null),
            ])
        }
    }

    // MARK: What a program sees

    private func look() throws -> Reply {
        let store = try current.store
        let seen = Set(try objects(.hide).map(\.storeKey))
        let notes = try objects(.show).map { object -> JSONValue in
            let pending = try store.pending(of: object).map { cell in
                (key: try note.cellName(cell.index), value: Self.json(cell.after))
            }
            let confirmed = try store.confirmed(of: object)
            return .object([
                ("shown", Self.json(object)),
                ("hidden", .bool(!seen.contains(object.storeKey))),
                ("pending", .object(pending)),
                ("confirmed", confirmed.map { Self.json($0) } ?? .null),
                ("version", try store.version(of: object).map { .string($0.text) } ?? .null),
            ])
        }
        let items = try outbox.list().all.map { item -> JSONValue in
            .object([
                ("item", .integer(item.id)), ("dead", .bool(item.state == .dead)),
                ("parked", .bool(item.state == .parked)),
                ("status", .integer(Int64(item.failure?.httpStatus ?? 0))),
                ("method", .string(item.method)),
                ("trouble", item.lastError.map { .string($0) } ?? .null),
            ])
        }
        // The values that observers were told since the last look, in their order.
        let told = witness.takeAll().map { change -> JSONValue in
            let known = change.after ?? change.before
            return .object([
                ("ref", known.map { Self.json($0.value(named: "ref") ?? .null) } ?? .null),
                ("shown", change.after.map { Self.json($0) } ?? .null),
            ])
        }
        // Listing conflicts ends those that are settled by now, so it comes last.
        return [
            ("notes", .array(notes)), ("items", .array(items)), ("told", .array(told)),
            ("conflicts", .array(try conflicts())),
        ]
    }

    private static func json(_ object: Snapshot) -> JSONValue {
        .object(
            object.entity.attributes.enumerated().map { index, attribute in
                (key: attribute.name, value: json(object.value(at: index)))
            })
    }

    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .int64(let number): .integer(number)
        case .json(let text): (try? JSONValue.parse(text)) ?? .null
        default: .null
        }
    }
}

/// An observer of the store that keeps what it is told.
private final class Witness: StoreObserver {
    private let told = Lock<[Change]>([])

    func append(_ notice: StoreNotice) -> Bool {
        if case .changes(let list) = notice { told.withLock { $0 += list.changes } }
        return false
    }

    func start() {}
    func remove() {}
    func close() {}

    func takeAll() -> [Change] {
        told.withLock { told in
            defer { told = [] }
            return told
        }
    }
}

/// Kills the process at a fault point of SQLite.
private final class DeathClock: Sendable {
    /// The number of transactions that still begin or end; `nil` if the process goes on.
    private let left = Lock<Int64?>(nil)

    func begin() {
        FaultPoints.standard.withLock { standard in
            standard = FaultPoints { [left] operation in
                guard operation == .begin || operation == .commit else { return nil }
                let isDue = left.withLock { left in
                    guard let count = left else { return false }
                    left = count - 1
                    return count <= 1
                }
                if isDue { kill(getpid(), SIGKILL) }
                return nil
            }
        }
    }

    func arm(_ count: Int64) {
        left.withLock { $0 = count }
    }
}

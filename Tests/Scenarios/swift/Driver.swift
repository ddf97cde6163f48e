import Restway

/// The client of a scenario, and the calls that it has sent.
@MainActor
final class Driver {
    /// The step that opened the client; it is opened again in the same way.
    private var opened: JSON = [:]
    private var clock: TestClock?
    private var client: Client?
    private var sent: [String: Task<JSON, Never>] = [:]
    /// The changes of the store that no step has shown yet.
    private var notices: AsyncStream<[Change]>.Iterator?

    func perform(_ step: JSON) async throws -> JSON {
        switch step["do"]?.string {
        case "open":
            opened = step
            clock = isAsked("clock") ? TestClock() : nil
            return restart()
        case "restart": return restart()
        case "call": return try await call(step)
        case "send": return try send(step)
        case "wait": return try await wait(step)
        case "cancel":
            sent[try name(step)]?.cancel()
            return try await wait(step)
        case "batch": return try await batch(step)
        case "reachability":
            try current.setReachability(step["value"] == "reachable" ? .reachable : .unreachable)
            return ["status": "OK"]
        case "flush": return await flush()
        case "outbox": return try outbox()
        case "store": return try store()
        case "advance":
            try clock?.advance(by: .milliseconds(step["milliseconds"]?.integer ?? 0))
            return [:]
        case "discriminator":
            try current.cache.setDiscriminator(step["value"]?.string)
            return [:]
        case "pending": return try pending(step)
        case "find": return ["found": .array(try query(step).all().map(identity))]
        case "conflicts":
            return ["conflicts": .array(try current.outbox.conflicts().map(conflict))]
        case "resolve":
            for conflict in try current.outbox.conflicts() {
                try choose(step, conflict, try current)
                try conflict.resolve()
            }
            return [:]
        case "resolver": return try resolver(step)
        case "version":
            let found = try current.store.version(object(step["object"] ?? [:], try current))
            return ["version": found.map(JSON.string) ?? .null]
        case "drop": return ["dropped": JSON(try current.outbox.dropAll())]
        case "retry":
            for item in try current.outbox.items() where item.state == .dead {
                try current.outbox.retry(item.id)
            }
            return [:]
        case "observe":
            notices = try current.changes().makeAsyncIterator()
            return [:]
        case "changes": return try await changes(step)
        case "events": return try await events(step)
        default: throw WrongStep(step)
        }
    }

    /// A step that has not the form of the scenarios.
    struct WrongStep: Error {
        let step: JSON

        init(_ step: JSON) { self.step = step }
    }

    /// The client is still there although no step can use it any more.
    struct ClientIsLeft: Error {}

    /// Ends the client, to which nothing may refer afterwards.
    func end() throws {
        sent = [:]
        notices = nil
        weak let ended = client
        client?.close()
        client = nil
        if ended != nil { throw ClientIsLeft() }
    }

    private var current: Client {
        get throws {
            guard let client else { throw WrongStep(opened) }
            return client
        }
    }

    private func isAsked(_ option: String) -> Bool { opened["options"]?[option]?.bool ?? false }

    private func name(_ step: JSON) throws -> String {
        guard let name = step["name"]?.string else { throw WrongStep(step) }
        return name
    }

    private func restart() -> JSON {
        sent = [:]
        notices = nil
        client?.close()
        client = nil
        let folder = opened["folder"]?.string ?? ""
        var options = Client.Options()
        if isAsked("outbox") { options.files.outbox = folder + "/outbox.db" }
        if isAsked("storeFile") { options.files.store = folder + "/objects.db" }
        if isAsked("cache") { options.cache.isOn = true }
        options.answers.areMappedStrictly = isAsked("strict")
        options.answers.takeMissingForDeleted = isAsked("goneIsDeleted")
        options.testing.clock = clock
        options.testing.randomSeed = 1
        do {
            client = try Client(API(document: opened["document"] ?? [:]), options: options)
        } catch {
            return told(error)
        }
        return ["status": "OK"]
    }

    // MARK: Calls

    private func call(_ step: JSON) async throws -> JSON {
        await outcome(try current, try request(step, try current))
    }

    private func send(_ step: JSON) throws -> JSON {
        let (client, request) = (try current, try request(step, try current))
        // The main actor reads the next step, so that the call runs elsewhere.
        sent[try name(step)] = Task.detached { await outcome(client, request) }
        return ["status": "OK"]
    }

    private func wait(_ step: JSON) async throws -> JSON {
        guard let task = sent[try name(step)] else { throw WrongStep(step) }
        return await task.value
    }

    private func batch(_ step: JSON) async throws -> JSON {
        guard case .array(let calls)? = step["calls"] else { throw WrongStep(step) }
        let client = try current
        let batch = try client.batch()
        let items = try calls.map { try batch.add(request($0, client)) }
        var outcome: JSON = ["status": "OK"]
        do throws(RestwayError) {
            try await batch.send()
        } catch {
            outcome = told(error)
        }
        let results = items.map { item in
            told(Result { () throws(RestwayError) in try item.response() })
        }
        guard case .object(var members) = outcome else { return outcome }
        members["results"] = .array(results)
        return .object(members)
    }

    // MARK: The outbox and the store

    private func flush() async -> JSON {
        do {
            try await current.outbox.flush(forced: true)
        } catch let error as RestwayError {
            return ["status": .string(error.kind.rawValue)]
        } catch {
            return [:]
        }
        return ["status": "OK"]
    }

    private func outbox() throws -> JSON {
        let items = try current.outbox.items().map { item -> JSON in
            [
                "method": .string(item.method.rawValue), "path": .string(item.path),
                "state": .string(item.state.rawValue),
                "http": JSON(item.response?.status ?? 0),
            ]
        }
        return ["items": .array(items), "needsFlushing": .bool(try current.outbox.needsFlushing())]
    }

    private func store() throws -> JSON {
        let client = try current
        var (contents, unsent): ([String: JSON], [String: JSON]) = ([:], [:])
        var unloaded: [String: JSON] = [:]
        guard case .object(let entities)? = opened["document"]?["entities"] else {
            return ["store": [:], "unsent": [:], "unloaded": [:]]
        }
        for entity in entities.keys {
            let objects = try client.store.all(entity)
            if !objects.isEmpty { contents[entity] = .array(try objects.map(values)) }
            let count = try objects.count { try client.store.isUnsent($0) }
            if count > 0 { unsent[entity] = JSON(count) }
            let everything = try client.store.query(entity).unloaded(nil).all()
            let named = try everything.filter { !$0.isLoaded }.map(values)
            if !named.isEmpty { unloaded[entity] = .array(named) }
        }
        return [
            "store": .object(contents), "unsent": .object(unsent), "unloaded": .object(unloaded),
        ]
    }

    // MARK: Edits that wait for the server

    /// Makes the query for the objects that the members of a step describe.
    private func query(_ step: JSON) throws -> Query {
        guard let entity = step["entity"]?.string else { throw WrongStep(step) }
        var query = try current.store.query(entity)
        if let isPending = step["pending"]?.bool { query = try query.pending(isPending) }
        if let isConflicted = step["conflicted"]?.bool {
            query = try query.conflicted(isConflicted)
        }
        if let shown = step["pendingDeletes"]?.string {
            query = try query.pendingDeletes(Query.Visibility(rawValue: shown))
        }
        return query
    }

    private func pending(_ step: JSON) throws -> JSON {
        guard let reference = step["object"] else { throw WrongStep(step) }
        let everything = try query(reference).pendingDeletes(.show).all()
        guard let object = everything.first(where: { identity($0) == reference["identity"] }) else {
            throw WrongStep(step)
        }
        let store = try current.store
        let pending = try store.pending(object)
        let (mine, base) = (try values(pending.mine), try values(pending.base))
        var shown: [String: JSON] = [:]
        for name in pending.names {
            shown[name] = ["mine": mine[name] ?? .null, "base": base[name] ?? .null]
        }
        let confirmed = try store.confirmed(object).map { try [$0.entity: values($0)] }
        return [
            "pending": .object(shown), "deletes": .bool(pending.deletes),
            "confirmed": confirmed.map(JSON.object) ?? .null,
        ]
    }

    private func resolver(_ step: JSON) throws -> JSON {
        let client = try current
        // The client keeps its resolver, which does not keep the client.
        try client.setResolver(step["entity"]?.string) { [weak client] conflict in
            guard let client else { return }
            try choose(step, conflict, client)
            if step["fails"]?.bool == true { throw WrongStep(step) }
        }
        return [:]
    }

    private func changes(_ step: JSON) async throws -> JSON {
        guard let count = step["count"]?.integer, var notices else { throw WrongStep(step) }
        var told: [JSON] = []
        for _ in 0..<count {
            guard let changes = await notices.next(isolation: #isolation) else { break }
            told.append(.array(try changes.map(change)))
        }
        self.notices = notices
        return ["changes": .array(told)]
    }

    private func events(_ step: JSON) async throws -> JSON {
        let request = try request(step, try current)
        var count = 0
        for try await event in try await current.events(request) { count += event.objects.count }
        return ["events": JSON(count)]
    }
}

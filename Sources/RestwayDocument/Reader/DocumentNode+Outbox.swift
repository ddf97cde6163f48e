import RestwayRouting

/// The section `outbox`, and the keys of routes that concern it.
extension DocumentNode {
    private static let outboxKeys = [
        "path", "order", "deadHead", "status", "inProgress", "offline", "baseMilliseconds",
        "capMilliseconds", "concurrent", "batch", "chunk", "singlyAfterFailures",
        "intervalMilliseconds", "busyTimeoutMilliseconds",
    ]

    package func outbox() -> OutboxDefinition? {
        guard let object = object(Self.outboxKeys) else { return nil }
        var outbox = OutboxDefinition(path: object.required("path")?.filePath() ?? "")
        outbox.isStrict = object["order"]?.choice(["lanes", "strict"]) == "strict"
        outbox.passesDeadHeads = object["deadHead"]?.choice(["block", "goOn"]) == "goOn"
        if let status = object["status"] { outbox.statuses = status.statusRanges() }
        let types = object["inProgress"]?.elements()?.compactMap { $0.nonEmptyString() }
        if let types { outbox.inProgressTypes = Set(types) }
        outbox.patterns = object["offline"]?.elements()?.compactMap { $0.offlinePattern() } ?? []
        let times = 0...Self.millisecondsMax
        if let time = object["baseMilliseconds"]?.integer(in: times) {
            outbox.baseMilliseconds = time
        }
        if let time = object["capMilliseconds"]?.integer(in: times) {
            outbox.capMilliseconds = time
        }
        if let count = object["concurrent"]?.integer(in: 1...Int64(OutboxDefinition.concurrentMax))
        {
            outbox.concurrentCalls = Int(count)
        }
        if let isUsed = object["batch"]?.bool() { outbox.usesBatch = isUsed }
        if let count = object["chunk"]?.integer(in: 1...Int64(BatchDefinition.limitMax)) {
            outbox.chunk = Int(count)
        }
        if let count = object["singlyAfterFailures"]?.integer(in: 0...1_000) {
            outbox.singlyAfterFailures = Int(count)
        }
        if let time = object["intervalMilliseconds"]?.milliseconds() {
            outbox.intervalMilliseconds = time
        }
        if let time = object["busyTimeoutMilliseconds"]?.integer(in: times) {
            outbox.busyTimeoutMilliseconds = Int32(time)
        }
        return outbox
    }

    private func offlinePattern() -> OutboxDefinition.Pattern? {
        guard let object = object(["method", "path"]) else { return nil }
        let methods = object["method"]?.storableMethods() ?? OutboxDefinition.storableMethods
        guard let template = object.required("path")?.template() else { return nil }
        return .init(methods: methods, template: template)
    }

    private func storableMethods() -> [Method] {
        let methods = methods()
        for method in methods where !OutboxDefinition.storableMethods.contains(method) {
            report("\(method.rawValue) is never stored")
        }
        return methods
    }
}

extension DocumentReader {
    /// Reads the key `offline` of a route with these methods. The document needs no section
    /// `outbox` for it, because a client's options may name the file.
    func offline(_ node: DocumentNode, _ methods: [Method]) -> Bool? {
        guard let isOn = node.bool() else { return nil }
        guard isOn else { return false }
        if !methods.isEmpty, !methods.contains(where: OutboxDefinition.storableMethods.contains) {
            node.report("none of the route's methods is ever stored")
        }
        return true
    }
}

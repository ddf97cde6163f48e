import RestwayRouting
import RestwayText

/// The section `batch`.
extension BatchDefinition {
    init?(_ node: DocumentNode) {
        guard let object = node.object(.batch) else { return nil }
        let path = object.required("path")?.batchPath()
        self.init(path: path ?? "")
        object.read("limit", into: &limit)
        object.read("stopsAtFailure", into: &stopsAtFailure) { $0.bool() }
        if path == nil { return nil }
    }
}

/// The section `outbox`.
extension OutboxDefinition {
    init?(_ node: DocumentNode) {
        guard let object = node.object(.outbox) else { return nil }
        self.init(path: object["path"]?.filePath())
        order.isStrict = object["order"]?.choice(["lanes", "strict"], "order") == "strict"
        let deadHead = object["deadHead"]?.choice(["block", "goOn"], "rule for dead heads")
        order.passesDeadHeads = deadHead == "goOn"
        object.read("status", into: &statuses) { $0.statusRanges() }
        object.read("inProgress", into: &inProgressTypes) { node in
            node.elements().map { Set($0.compactMap { $0.nonEmptyString() }) }
        }
        patterns = object["offline"]?.elements()?.compactMap(Pattern.init) ?? []
        object.read("baseMilliseconds", into: &baseMilliseconds)
        object.read("capMilliseconds", into: &capMilliseconds)
        object.read("concurrent", into: &concurrentCalls)
        object.read("batch", into: &batching.isOn) { $0.bool() }
        batching.chunk = object.number("chunk")
        object.read("singlyAfterFailures", into: &batching.singlyAfterFailures)
        intervalMilliseconds = object.milliseconds("intervalMilliseconds") ?? intervalMilliseconds
        object.read("busyTimeoutMilliseconds", into: &busyTimeoutMilliseconds)
    }

    /// Reads the key `offline` of a route with these methods. The document needs no section
    /// `outbox` for it, because a client's options may name the file.
    static func mayStore(_ node: DocumentNode, _ methods: [Method]) -> Bool? {
        guard let isOn = node.bool() else { return nil }
        if !methods.allSatisfy(\.isSafe) || !isOn { return isOn }
        // Answers to GET and HEAD are read offline from the cache (`CacheRules.isReadOffline`).
        if !methods.isEmpty, !methods.contains(.get), !methods.contains(.head) {
            node.report("requests with this route's methods are never stored and never cached")
        }
        return nil
    }
}

extension OutboxDefinition.Pattern {
    fileprivate init?(_ node: DocumentNode) {
        guard let object = node.object(.offlinePattern) else { return nil }
        let methods = object["method"]?.methods() ?? OutboxDefinition.usualMethods
        for method in methods where method.isSafe {
            object["method"]?.report("\(method.rawValue) is never stored")
        }
        guard let template = object.required("path")?.template() else { return nil }
        self.init(methods: methods, template: template)
    }
}

extension DocumentNode {
    /// Reads the batch path: a path without variables, below the base URL.
    fileprivate func batchPath() -> String? {
        guard let text = nonEmptyString() else { return nil }
        guard !URLText.isAbsolute(text) else { return refuse("must be a path below the base URL") }
        let standsForItself = { (byte: UInt8) in
            byte > 0x20 && byte != 0x7F && !":{}\\".utf8.contains(byte)
        }
        return text.utf8.allSatisfy(standsForItself)
            ? text : refuse("must be a path without variables")
    }
}

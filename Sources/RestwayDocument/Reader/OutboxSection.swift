import RestwayJSON
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

}

extension StoringRule {
    /// Reads the key `offline` of a route with these methods. The document needs no section
    /// `outbox` for it, because a client's options may name the file. `nil` if the key says nothing
    /// about storing: answers to GET and HEAD are read offline from the cache
    /// (`CacheRules.isReadOffline`).
    init?(_ node: DocumentNode, _ methods: [Method]) {
        let areSafe = methods.allSatisfy(\.isSafe)
        guard node.value.kind == .object else {
            guard let isOn = node.bool() else { return nil }
            if areSafe, isOn, !methods.isEmpty, !methods.contains(where: \.isCached) {
                node.report("requests with this route's methods are never stored and never cached")
            }
            guard !areSafe || !isOn else { return nil }
            self = isOn ? .failed : .never
            return
        }
        guard let object = node.object(.routeOffline) else { return nil }
        if areSafe, !methods.isEmpty {
            let names = methods.map(\.rawValue).joined(separator: " and ")
            node.report(
                "\(names) requests are never stored: only `true` is allowed here, with which the "
                    + "response cache answers them when the server cannot be reached")
            return nil
        }
        guard let word = object.required("store")?.choice(Self.words, "time to store a request")
        else { return nil }
        self.init(rawValue: word)
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

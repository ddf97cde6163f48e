import RestwayJSON
import RestwayRouting

/// The section `cache`.
extension CacheDefinition {
    init?(_ node: DocumentNode) {
        guard let object = node.object(.cache) else { return nil }
        self.init()
        path = object["path"]?.filePath()
        object.read("maxBytes", into: &bytesMax)
        memoryBytesMax = min(memoryBytesMax, bytesMax)
        object.read("memoryBytes", into: &memoryBytesMax)
        object.read("heuristics", into: &usesHeuristics) { $0.bool() }
        if path != nil, memoryBytesMax > bytesMax {
            object["memoryBytes"]?.report(
                "contradicts \"maxBytes\": everything that is in memory is in the file, too")
        }
    }
}

/// The rules of a route for the cache. The document needs no section `cache` for them, because a
/// client's options may turn the cache on, and because without a cache these keys do nothing.
extension CacheRules {
    /// The largest number of seconds that HTTP knows (RFC 9111, section 1.2.2).
    package static let secondsMax = DocumentObject.route.range("cacheTTL").upperBound

    /// - Parameter object: The route.
    init(ofRoute object: DocumentNode, _ methods: [Method]) {
        self.init()
        if let seconds: Int64 = object.number("cacheTTL"), seconds > 0 {
            lifetimeSeconds = seconds
        }
        object.read("cacheIgnoreQueryParameters", into: &ignoredParameters, IgnoredParameters.init)
        let invalidated = object["invalidatesCachedRouteNames"]?.elements() ?? []
        invalidatedRoutes = invalidated.compactMap { $0.nonEmptyString() }
        if let rules = object["cache"] { read(rules) }
        if let offline = object["offline"]?.value, methods.contains(where: \.isCached) {
            isReadOffline = offline.bool == true || offline.kind == .object
        }
        reportContradictions(object, methods)
    }

    /// Reads the keys of a route of WebApiClient, whose cache keeps answers to all methods.
    init(ofWebApiClient route: DocumentNode, _ methods: [Method]) {
        self.init()
        let seconds: Int64? = route["cacheTTL"]?.integer(in: 0...Self.secondsMax)
        if let seconds, seconds > 0 {
            lifetimeSeconds = seconds
            keepsUnsafe = !methods.allSatisfy(\.isSafe)
        }
        route.read("cacheIgnoreQueryParameters", into: &ignoredParameters, IgnoredParameters.init)
        let invalidated = route["invalidatesCachedRouteNames"]?.elements() ?? []
        invalidatedRoutes = invalidated.compactMap { $0.nonEmptyString() }
    }

    private mutating func read(_ node: DocumentNode) {
        guard let object = node.object(.routeCache) else { return }
        staleWhileRevalidateSeconds = object.number("staleWhileRevalidate")
        staleIfErrorSeconds = object.number("staleIfError")
        object.read("unsafe", into: &keepsUnsafe) { $0.bool() }
        object.read("bypass", into: &isBypassed) { $0.bool() }
    }

    private func reportContradictions(_ route: DocumentNode, _ methods: [Method]) {
        let rules = route["cache"]
        // The keys that say how answers are kept, as far as they are there and say something.
        let keeping: [(key: String, node: DocumentNode?)] = [
            ("cacheTTL", lifetimeSeconds == nil ? nil : route["cacheTTL"]),
            (
                "cacheIgnoreQueryParameters",
                ignoredParameters == .none ? nil : route["cacheIgnoreQueryParameters"]
            ),
            ("staleWhileRevalidate", rules?["staleWhileRevalidate"]),
            ("staleIfError", rules?["staleIfError"]),
            ("unsafe", keepsUnsafe ? rules?["unsafe"] : nil),
            ("offline", isReadOffline ? route["offline"] : nil),
        ]
        for (key, node) in keeping {
            guard let node else { continue }
            if isBypassed {
                node.report("contradicts \"bypass\": a route that is bypassed keeps no answers")
            } else if key != "offline", route["stream"] != nil {
                node.report("contradicts \"stream\": an event stream is never kept")
            } else if key == "unsafe" {
                reportUnsafe(node, methods)
            } else if !keepsUnsafe, !methods.isEmpty, !methods.contains(where: \.isCached) {
                node.report(
                    "contradicts the methods: only answers to GET and HEAD are kept, unless "
                        + "\"cache\" has \"unsafe\"")
            }
        }
    }

    private func reportUnsafe(_ node: DocumentNode, _ methods: [Method]) {
        if lifetimeSeconds == nil {
            node.report("contradicts the lifetime: without a \"cacheTTL\" no such answer is kept")
        } else if !methods.isEmpty, methods.allSatisfy(\.isSafe) {
            node.report("contradicts the methods: all of them are safe")
        }
    }

    /// Reports routes that nothing is known of.
    func reportUnknownRoutes(_ route: DocumentNode, known: [String], _ names: Set<String>) {
        for node in route["invalidatesCachedRouteNames"]?.elements() ?? [] {
            guard let name = node.value.string, !name.isEmpty, !names.contains(name) else {
                continue
            }
            node.reportUnknown("route", name, among: known)
        }
    }
}

extension CacheRules.IgnoredParameters {
    /// Reads true for all, false for none, or names.
    init?(_ node: DocumentNode) {
        if let isAll = node.value.bool {
            self = isAll ? .all : .none
            return
        }
        guard node.value.kind == .array else {
            node.report("must be true, false or an array of names")
            return nil
        }
        let names = (node.elements() ?? []).compactMap { $0.nonEmptyString() }
        self = names.isEmpty ? .none : .named(names)
    }
}

extension Method {
    var isCached: Bool { self == .get || self == .head }
}

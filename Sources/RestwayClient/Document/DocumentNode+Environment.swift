import RestwayHTTP
import RestwayRouting
import RestwayText

/// Environments and headers of a document.
extension DocumentNode {
    private static let environmentKeys = [
        "baseURL", "server", "path", "version", "headers", "timeoutMilliseconds",
        "connectTimeoutMilliseconds", "idleTimeoutMilliseconds", "trustedOrigins",
    ]

    /// A day. No exchange takes longer; a larger number is probably a mistake in the unit.
    static let millisecondsMax: Int64 = 86_400_000

    func environment(_ name: String) -> Environment? {
        guard let object = object(Self.environmentKeys) else { return nil }
        let timeouts = Timeouts(
            totalMilliseconds: object["timeoutMilliseconds"]?.milliseconds(),
            connectMilliseconds: object["connectTimeoutMilliseconds"]?.milliseconds(),
            idleMilliseconds: object["idleTimeoutMilliseconds"]?.milliseconds())
        let headers = object["headers"]?.headers() ?? []
        let trusted = object["trustedOrigins"]?.elements()?.compactMap { $0.origin() } ?? []
        if object["server"] == nil {
            // The path and the version are read all the same, so that their problems are reported.
            _ = object["path"]?.string()
            _ = object["version"]?.string()
        }
        guard let baseURL = baseURL(object) else { return nil }
        return Environment(
            name: name, baseURL: baseURL, headers: headers, timeouts: timeouts,
            trustedOrigins: trusted)
    }

    private func baseURL(_ object: DocumentObject) -> BaseURL? {
        if let node = object["baseURL"] {
            for key in ["server", "path", "version"] {
                object[key]?.report("stands beside \"baseURL\"; write one or the other")
            }
            guard let text = node.nonEmptyString() else { return nil }
            return node.routing { () throws(RoutingError) in try BaseURL(text) }
        }
        guard let node = object["server"] else {
            report("\"baseURL\" (or \"server\") is missing")
            return nil
        }
        guard let server = node.nonEmptyString() else { return nil }
        let path = object["path"]?.string()
        let version = object["version"]?.string()
        return node.routing { () throws(RoutingError) in
            try BaseURL(server: server, path: path, version: version)
        }
    }

    private func origin() -> Origin? {
        guard let text = nonEmptyString() else { return nil }
        let url = routing { () throws(RoutingError) in try BaseURL(text) }
        guard let url else { return nil }
        guard url.path.isEmpty else {
            report("an origin has no path: the headers would go to all of \(url.origin)")
            return nil
        }
        return url.origin
    }

    /// Reads a time in milliseconds. -1 means no limit, which is returned as 0.
    func milliseconds() -> Int64? {
        guard let value = integer(in: -1...Self.millisecondsMax) else { return nil }
        if value == 0 {
            report("must be more than 0, or -1 for no time-out")
            return nil
        }
        return max(0, value)
    }

    func headers() -> [Pair] {
        (namedMembers() ?? []).compactMap { name, node in
            guard let value = node.string() else { return nil }
            guard Headers.isValidName(name) else {
                node.report("\"\(name)\" is not a header name (RFC 9110, section 5.1)")
                return nil
            }
            guard Headers.isValidValue(value) else {
                node.report("holds a character that a header value may not have")
                return nil
            }
            return Pair(name: name, value: value)
        }
    }

    /// Reads the names of the headers that follow a redirect to an origin that is not trusted.
    func redirectHeaders() -> [String] {
        (elements() ?? []).compactMap { node in
            guard let name = node.string() else { return nil }
            guard Headers.isValidName(name) else {
                node.report("\"\(name)\" is not a header name (RFC 9110, section 5.1)")
                return nil
            }
            let lowercased = name.lowercased()
            if RedirectRules.credentialNames.contains(where: { $0.lowercased() == lowercased }) {
                node.report("\(name) is a credential, which goes to trustedOrigins alone")
                return nil
            }
            return name
        }
    }

    /// Returns what `make` returns, and reports what it throws.
    func routing<Value>(_ make: () throws(RoutingError) -> Value) -> Value? {
        do {
            return try make()
        } catch .duplicateRoute(let routes) {
            problems.reportDuplicate(path, RoutingError.duplicateRoute(routes).message)
            return nil
        } catch {
            report(error.message)
            return nil
        }
    }
}

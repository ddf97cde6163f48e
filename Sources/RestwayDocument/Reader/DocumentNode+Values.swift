import RestwayHTTP
import RestwayJSON
package import RestwayMapping
import RestwayObjects
package import RestwayRouting
package import RestwayText

/// Values that several sections of a document have in common.
extension DocumentNode {
    /// A day. No exchange takes longer; a larger number is probably a mistake in the unit.
    static let millisecondsMax: Int64 = 86_400_000

    /// Reads a time in milliseconds. -1 means no limit, which is returned as 0.
    package func milliseconds() -> Int64? {
        guard let value = integer(in: -1...Self.millisecondsMax) else { return nil }
        if value == 0 {
            report("must be more than 0, or -1 for no time-out")
            return nil
        }
        return max(0, value)
    }

    /// Returns what `make` returns, and reports what it throws.
    package func routing<Value>(_ make: () throws(RoutingError) -> Value) -> Value? {
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

    package func template() -> PathTemplate? {
        guard let text = string() else { return nil }
        return routing { () throws(RoutingError) in try PathTemplate(text) }
    }

    /// Reads a key path as its keys: `"address.street"`, or `["address", "a.b"]` for keys with
    /// dots.
    package func keyPath() -> [String]? {
        if value.kind == .array { return listedKeys() }
        guard let text = nonEmptyString() else { return nil }
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains("") else {
            report("\"\(text)\" is not a key path: a key between its dots is empty")
            return nil
        }
        return keys
    }

    private func listedKeys() -> [String]? {
        guard let nodes = elements() else { return nil }
        guard !nodes.isEmpty else {
            report("must name at least one key")
            return nil
        }
        let keys = nodes.compactMap { $0.nonEmptyString() }
        return keys.count == nodes.count ? keys : nil
    }

    func filePath() -> String? {
        guard let text = nonEmptyString() else { return nil }
        guard !text.utf8.contains(0) else {
            report("a path holds no NUL")
            return nil
        }
        return text
    }

    /// Reads the options of a plugin, which are an object, as JSON text.
    func pluginOptions() -> String? {
        guard value.kind == .object else { return mismatch("an object") }
        return String(decoding: value.text(), as: UTF8.self)
    }

    // MARK: Requests and answers

    /// Whether `name` may be the name of a header. It reports a name that may not.
    func isHeaderName(_ name: String) -> Bool {
        if Headers.isValidName(name) { return true }
        report("\"\(name)\" is not a header name (RFC 9110, section 5.1)")
        return false
    }

    package func headers() -> [Pair] {
        (namedMembers() ?? []).compactMap { name, node in
            guard let value = node.string(), node.isHeaderName(name) else { return nil }
            guard Headers.isValidValue(value) else {
                node.report("holds a character that a header value may not have")
                return nil
            }
            return Pair(name: name, value: value)
        }
    }

    package func parameters() -> [Parameter]? {
        namedMembers()?.map { Parameter(keys: [$0.name], value: $0.node.value) }
    }

    /// Reads one method or several, each once.
    package func methods() -> [Method] {
        let methods = oneOrMany().compactMap { node -> Method? in
            guard let token = node.string() else { return nil }
            if let method = Method(token: token) { return method }
            let all = Method.allCases.map(\.rawValue).joined(separator: ", ")
            node.report("unknown method \"\(token)\" (there are \(all))")
            return nil
        }
        if value.kind == .array, value.elements?.isEmpty ?? false {
            report("must name at least one method")
        }
        var unique: [Method] = []
        var repeated: [Method] = []
        for method in methods {
            if !unique.contains(method) {
                unique.append(method)
            } else if !repeated.contains(method) {
                repeated.append(method)
                report("names \(method.rawValue) more than once")
            }
        }
        return unique
    }

    /// Reads `"2xx"`, `"404"`, `"200-299"` or the number 404.
    package func statuses() -> StatusRange? {
        guard let text = value.integer.map({ String($0) }) ?? value.string else {
            return mismatch("a string or a whole number")
        }
        if let range = StatusRange(text) { return range }
        report("\"\(text)\" is no status: write 404, \"404\", \"2xx\" or \"200-299\"")
        return nil
    }

    /// Reads one or several statuses: 401, "4xx", "520-527".
    func statusRanges() -> [ClosedRange<Int>] {
        oneOrMany().compactMap { $0.statuses() }.map(\.codes)
    }

    /// Reads one or several codes of the API: strings or whole numbers.
    package func codes() -> Set<String> {
        Set(
            oneOrMany().compactMap { node in
                if let number = node.value.integer { return String(number) }
                return node.nonEmptyString()
            })
    }
}

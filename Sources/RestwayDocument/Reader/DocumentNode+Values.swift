import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayText

/// Values that several sections of a document have in common.
extension DocumentNode {
    /// Returns the value that `make` returns, and reports the error that it throws.
    func routing<Value>(_ make: () throws(RoutingError) -> Value) -> Value? {
        do {
            return try make()
        } catch {
            guard case .duplicateRoute = error else { return refuse(error.message) }
            problems.reportDuplicate(place, error.message)
            return nil
        }
    }

    func template() -> PathTemplate? {
        string().flatMap { text in
            routing { () throws(RoutingError) in try PathTemplate(text) }
        }
    }

    /// Reads a key path as its keys: `"address.street"`, or `["address", "a.b"]` for keys with
    /// dots.
    func keyPath() -> [String]? {
        if value.kind == .array { return listedKeys() }
        guard let text = nonEmptyString() else { return nil }
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains("") else {
            return refuse("\"\(text)\" is not a key path: a key between its dots is empty")
        }
        return keys
    }

    /// Reads the key path of an attribute or a relationship. `[]` is the whole object.
    func sourcePath() -> [String]? {
        value.elements?.isEmpty == true ? [] : keyPath()
    }

    private func listedKeys() -> [String]? {
        guard let nodes = elements() else { return nil }
        if nodes.isEmpty { return refuse("must name at least one key") }
        let keys = nodes.compactMap { $0.nonEmptyString() }
        return keys.count == nodes.count ? keys : nil
    }

    /// Reads the path of a file. A relative path in an included file starts at that file.
    func filePath() -> String? {
        guard let path = pathText() else { return nil }
        guard let directory = place.directory, !path.hasPrefix("/") else { return path }
        return directory + path
    }

    /// Reads a path as it is written.
    func pathText() -> String? {
        expanding.nonEmptyString().flatMap { path in
            path.utf8.contains(0) ? refuse("a path holds no NUL") : path
        }
    }

    /// Reads the options of a plugin, which are an object, as JSON text.
    func pluginOptions() -> String? {
        guard value.kind == .object else { return mismatch("an object") }
        return String(decoding: value.text(), as: UTF8.self)
    }

    // MARK: Requests and answers

    /// Returns whether `name` may be the name of a header. It reports a name that may not.
    func checkHeaderName(_ name: String) -> Bool {
        if Headers.isValidName(name) { return true }
        report("\(shown(name)) is not a header name (RFC 9110, section 5.1)")
        return false
    }

    func headers() -> [Pair] { Self.headers(expanding.namedMembers() ?? []) }

    /// Headers with the version of one object, so that no document can know their values.
    private static let conditionalHeaders = [
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]

    /// Reads headers, whose values may name variables of the environment.
    static func headers(_ members: [(name: String, node: DocumentNode)]) -> [Pair] {
        members.compactMap { name, node in
            guard let value = node.string(), node.checkHeaderName(name) else { return nil }
            guard Headers.isValidValue(value) else {
                return node.refuse("holds a character that a header value may not have")
            }
            if conditionalHeaders.contains(ASCII.lowercased(name)), value.contains("{") {
                return node.refuse(
                    "is sent as it stands here, so braces name no variable: set \(name) for each "
                        + "request, or in a modifier")
            }
            return Pair(name: name, value: value)
        }
    }

    func parameters() -> [Parameter]? {
        namedMembers()?.map { Parameter(keys: [$0.name], value: WireValue($0.node.value)) }
    }

    /// Reads one method or several, each once.
    func methods() -> [Method] {
        let nodes = oneOrMany()
        if nodes.isEmpty { report("must name at least one method") }
        let methods = nodes.compactMap { $0.method() }
        for (index, method) in methods.enumerated()
        where methods[..<index].count(where: { $0 == method }) == 1 {
            report("names \(method.rawValue) more than once")
        }
        return methods
    }

    private func method() -> Method? {
        guard let text = word() else { return nil }
        do throws(Method.Refusal) {
            return try Method(text, shown: shown(text))
        } catch {
            return refuse("is \(error.reason)")
        }
    }

    /// Reads `"2xx"`, `"404"`, `"200-299"` or the number 404.
    func statuses() -> StatusRange? {
        guard let text = value.integer.map({ String($0) }) ?? value.string else {
            return mismatch("a string or a whole number")
        }
        return StatusRange(text)
            ?? refuse("\"\(text)\" is no status: write 404, \"404\", \"2xx\" or \"200-299\"")
    }

    /// Reads one or several statuses: 401, "4xx", "520-527".
    func statusRanges() -> [ClosedRange<Int>] {
        oneOrMany().compactMap { $0.statuses() }.map(\.codes)
    }

    /// Reads one or several codes of the API: strings or whole numbers.
    func codes() -> Set<String> {
        Set(
            oneOrMany().compactMap { node in
                if let number = node.value.integer { return String(number) }
                return node.nonEmptyString()
            })
    }
}

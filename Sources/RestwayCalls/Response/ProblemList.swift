import RestwayDocument
import RestwayJSON
import RestwayOutcome
import RestwayText

/// The separate problems that the body of a failed response lists, each with the path of its field.
///
/// APIs list them as problems that name their field, as messages under the names of the fields, or
/// as messages alone, and nest these lists like the body of the request. No value that may be a
/// message is left out.
struct ProblemList {
    /// The largest number of problems that are kept, because a very long list does not help.
    static let problemsMax = 100
    /// Deeper nesting is not the structure of a request's fields.
    private static let depthMax = 32

    private(set) var details: [Failure.Detail] = []
    private let names: ErrorDefinition.List?
    private let format: ErrorDefinition.Format?
    /// The number of problems beyond `problemsMax`.
    private var leftOut = 0

    /// - Parameter names: The names that the document gives to the parts of a problem.
    private init(_ names: ErrorDefinition.List?, _ format: ErrorDefinition.Format?) {
        self.names = names
        self.format = format
    }

    /// Returns the problems of a list, which is an array or an object with the problems of each
    /// field under the name of the field.
    ///
    /// - Parameters:
    ///   - names: The names that the document gives to the parts of a problem.
    ///   - isBody: Whether the list is the whole body, which is never a problem itself. Its members
    ///     called `others` are not about fields.
    static func details(
        of list: JSONValue, _ names: ErrorDefinition.List?, _ format: ErrorDefinition.Format?,
        isBody: Bool = false, without others: [String] = []
    ) -> [Failure.Detail] {
        var found = ProblemList(names, format)
        if isBody, let members = list.members {
            for (key, value) in members where !(others.contains(key) && value.text != nil) {
                found.add(value, at: FieldPath(key: key), depth: 1)
            }
        } else {
            found.add(list, at: FieldPath(), depth: 0)
        }
        return found.all
    }

    /// Returns the problems of the fields that a body names beside its message: one name, a list of
    /// names, or an object with a message for each name.
    static func details(
        ofFields fields: JSONValue, code: String?, message: String?
    ) -> [Failure.Detail] {
        if let path = fields.text.map({ FieldPath(text: $0).text }) {
            return [.init(path: path, message: message ?? code ?? "", code: code)]
        }
        var found = ProblemList(nil, nil)
        if let elements = fields.elements {
            for element in elements {
                if let name = element.text {
                    found.append(FieldPath(text: name), message ?? code ?? "", code)
                } else {
                    found.add(element, at: FieldPath(), depth: 1)
                }
            }
        } else {
            found.add(fields, at: FieldPath(), depth: 0, code: code)
        }
        return found.all
    }

    /// The problems, of which the last one counts those that are left out.
    private var all: [Failure.Detail] {
        guard leftOut > 0 else { return details }
        return details + [.init(path: "", message: "(and \(leftOut) more)")]
    }

    private mutating func append(_ path: FieldPath, _ message: String, _ code: String?) {
        guard details.count < Self.problemsMax else { return leftOut += 1 }
        details.append(.init(path: path.text, message: message, code: code))
    }

    /// Adds the problems of a part of the list. `code` is the code of the problem around it.
    private mutating func add(
        _ value: JSONValue, at path: FieldPath, depth: Int, code: String? = nil
    ) {
        if let message = value.text { return append(path, message, code) }
        guard depth <= Self.depthMax else {
            return append(path, "the problems are nested too deeply to be read", code)
        }
        if let elements = value.elements {
            for (index, element) in elements.enumerated() {
                let isOfElement = element.members != nil && !isProblem(element)
                add(
                    element, at: isOfElement ? path.appending(index: index) : path,
                    depth: depth + 1, code: code)
            }
        } else if isProblem(value) {
            addProblem(value, at: path, depth: depth)
        } else {
            for (key, value) in value.members ?? [] {
                add(value, at: path.appending(FieldPath(key: key)), depth: depth + 1, code: code)
            }
        }
    }

    /// Adds one problem, which names its parts as the document or the format says.
    private mutating func addProblem(_ problem: JSONValue, at path: FieldPath, depth: Int) {
        let code = part(problem, names?.code, format?.codeNames)?.text
        let message = part(problem, names?.message, format?.messageNames)?.text
        let field = field(of: problem)
        let ownPath = field.flatMap { FieldPath(value: $0) }
        if ownPath == nil, field?.members?.isEmpty == false, let field {
            return add(field, at: path, depth: depth + 1, code: code)
        }
        append(ownPath ?? path, message ?? code ?? "", code)
    }

    /// Whether an object has any part of a problem. Otherwise it is a part of the structure.
    private func isProblem(_ value: JSONValue) -> Bool {
        guard value.members != nil else { return false }
        return part(value, names?.code, format?.codeNames) != nil
            || part(value, names?.message, format?.messageNames) != nil || field(of: value) != nil
    }

    /// Returns the field of a problem: a name, an array of keys, or an object with messages.
    private func field(of problem: JSONValue) -> JSONValue? {
        part(problem, names?.field, format?.fieldNames) { value in
            value.text != nil || value.members?.isEmpty == false || FieldPath(value: value) != nil
        }
    }

    /// Returns a part of a problem. The key paths of the document count more than the names of the
    /// format.
    private func part(
        _ problem: JSONValue, _ own: [String]?, _ others: [[String]]?,
        _ isPart: (JSONValue) -> Bool = { $0.text != nil }
    ) -> JSONValue? {
        for keyPath in [own].compactMap({ $0 }) + (others ?? []) {
            if let part = problem.part(at: keyPath), isPart(part) { return part }
        }
        return nil
    }
}

/// The path of a field as a program writes it: `lines[1].quantity`.
struct FieldPath: Equatable {
    private(set) var text = ""

    init() {}

    /// Reads a key of an object: `title`, or `lines.1.quantity`.
    init(key: String) {
        for part in key.split(separator: ".", omittingEmptySubsequences: false) {
            append(String(part))
        }
    }

    /// Reads the text that stands for a field. A text that begins like a JSON pointer is one.
    init(text: String) {
        if text.hasPrefix("/") || text.hasPrefix("#/") {
            self.init(pointer: text)
        } else {
            self.init(key: text)
        }
    }

    /// Reads a JSON pointer (RFC 6901), also as a fragment of a URL. A pointer of JSON:API, which
    /// is no fragment, gives the name of the attribute or the relationship, without its place.
    init(pointer: String) {
        let isFragment = pointer.hasPrefix("#")
        var keys = pointer.dropFirst(isFragment ? 2 : 1)
            .split(separator: "/", omittingEmptySubsequences: false)
            .map { Self.key(String($0), isFragment: isFragment) }
        if !isFragment, keys.first == "data" {
            keys.removeFirst()
            let place = keys.firstIndex { !Self.isIndex($0) } ?? keys.endIndex
            switch keys.dropFirst(place).first {
            case "attributes": keys.remove(at: place)
            case "relationships":
                keys.remove(at: place)
                if keys.dropFirst(place + 1).first == "data" { keys.remove(at: place + 1) }
            default: break
            }
        }
        for key in keys { append(key) }
    }

    /// Reads the value that stands for a field: a text, or an array of keys; `nil` for anything
    /// else.
    init?(value: JSONValue) {
        if let text = value.text {
            self.init(text: text)
            return
        }
        guard let keys = value.elements?.map(\.text), !keys.isEmpty, !keys.contains(nil) else {
            return nil
        }
        self.init()
        for key in keys { append(key ?? "") }
    }

    func appending(_ path: FieldPath) -> FieldPath {
        var joined = self
        let needsDot = !text.isEmpty && !path.text.hasPrefix("[") && !path.text.isEmpty
        joined.text += (needsDot ? "." : "") + path.text
        return joined
    }

    func appending(index: Int) -> FieldPath {
        var path = self
        path.text += "[\(index)]"
        return path
    }

    private mutating func append(_ key: String) {
        if Self.isIndex(key) {
            text += "[\(key)]"
        } else {
            text += text.isEmpty ? key : ".\(key)"
        }
    }

    private static func isIndex(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.allSatisfy(ASCII.isDigit)
    }

    /// Returns the key that a reference token of a pointer stands for.
    private static func key(_ token: String, isFragment: Bool) -> String {
        let parts = (isFragment ? URLText.decoded(token) : token)
            .split(separator: "~", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { key, part in
            switch part.first {
            case "0": key += "~" + part.dropFirst()
            case "1": key += "/" + part.dropFirst()
            default: key += "~" + part
            }
        }
    }
}

extension JSONValue {
    /// A message, a code or a name: a text, a number or a Boolean as text; `nil` for an empty text
    /// and for anything else.
    var text: String? {
        switch kind {
        case .string: string.flatMap { $0.isEmpty ? nil : $0 }
        case .integer, .real, .boolean: String(decoding: text(), as: UTF8.self)
        case .null, .array, .object: nil
        }
    }

    /// The value at a key path, in which a number also leads to an element of an array.
    func part(at keyPath: [String]) -> JSONValue? {
        var current = self
        for key in keyPath {
            if let next = current[key] {
                current = next
            } else if let elements = current.elements, let index = Int(key),
                elements.indices.contains(index)
            {
                current = elements[index]
            } else {
                return nil
            }
        }
        return current
    }
}

/// The names that a format gives to the parts of one problem in a list.
extension ErrorDefinition.Format {
    fileprivate var fieldNames: [[String]] {
        switch self {
        case .jsonapi: [["source", "pointer"], ["source", "parameter"], ["source", "header"]]
        case .problem: [["pointer"], ["field"], ["parameter"], ["header"]]
        }
    }

    fileprivate var codeNames: [[String]] { [["code"]] }

    fileprivate var messageNames: [[String]] {
        switch self {
        case .jsonapi: [["detail"], ["title"], ["code"], ["status"]]
        case .problem: [["detail"], ["message"], ["title"]]
        }
    }
}

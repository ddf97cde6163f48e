import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayText

/// One value of a document and its place there.
///
/// Every function that reads the value reports a value of the wrong kind and returns `nil`. So the
/// reader goes on and finds the next problem.
///
/// The value lives only while the document is read.
struct DocumentNode {
    let value: JSONTree
    var place = DocumentPlace.root
    let problems: DocumentProblems
    /// The keys of this object; `nil` if they are not fixed, and before `object` has checked them.
    private(set) var known: DocumentObject?
    /// Whether texts may name variables of the environment.
    var namesVariables = false
    /// Whether texts may be secrets, also those in a wrong place. No problem quotes them.
    var mayHoldSecrets = false

    /// How documents are parsed, and parts that stand in no document.
    static let options = JSONValue.ParseOptions(rejectsDuplicateKeys: true)

    /// Parses a part that stands in no document.
    static func parse(_ text: UnsafeRawBufferPointer) throws(Failure) -> JSONValue {
        do {
            return try JSONValue.parse(text, options)
        } catch {
            throw failure(error)
        }
    }

    static func failure(_ error: JSONError) -> Failure {
        Failure(.config, details: [.init(path: "$", message: error.message)])
    }

    func report(_ message: String) {
        problems.report(place, withoutValues(message))
    }

    /// Reports a name that the document does not have, with the known name that was probably meant.
    func reportUnknown(_ what: String, _ name: String, among known: [String]) {
        report(problems.unknown(what, name, among: known))
    }

    /// Reports a problem. It always returns `nil`.
    func refuse<Value>(_ message: String) -> Value? {
        report(message)
        return nil
    }

    /// Reports a value of the wrong kind. It always returns `nil`.
    func mismatch<Value>(_ expected: String) -> Value? {
        refuse("must be \(expected), is \(value.kind.withArticle)")
    }

    // MARK: Values

    func string() -> String? {
        guard let text = value.string else { return mismatch("a string") }
        return namesVariables ? expanded(text) : text
    }

    func nonEmptyString() -> String? {
        string().flatMap { $0.isEmpty ? refuse("must not be empty") : $0 }
    }

    func bool() -> Bool? {
        value.bool ?? mismatch("true or false")
    }

    func integer<Number: FixedWidthInteger>(in range: ClosedRange<Int64>) -> Number? {
        let bounds = "between \(range.lowerBound) and \(range.upperBound)"
        guard let integer = value.integer else {
            let found = value.kind == .real ? value.double.map { "\($0)" } : nil
            return refuse(
                "must be a whole number \(bounds), is \(found ?? value.kind.withArticle)")
        }
        guard range.contains(integer), let number = Number(exactly: integer) else {
            return refuse("must be \(bounds), is \(integer)")
        }
        return number
    }

    /// Reads a text that names no variable.
    func word() -> String? {
        value.string ?? mismatch("a string")
    }

    /// Reads a name, which must be in `known`. An error calls it a `what`.
    func choice(_ known: [String], _ what: String) -> String? {
        guard let text = word() else { return nil }
        return known.contains(text) ? text : refuse(text, known, what)
    }

    private func refuse<Value>(_ text: String, _ known: [String], _ what: String) -> Value? {
        let hint = NearestName.hint(for: text, in: known)
        // A misspelt name is no secret.
        let unknown = mayHoldSecrets && hint.isEmpty ? what : "\(what) \"\(text)\""
        return refuse("unknown \(unknown)\(hint) (there are \(known.joined(separator: ", ")))")
    }

    /// Returns `text` in quotes, or "this text" if it may be a secret.
    func shown(_ text: String) -> String { mayHoldSecrets ? "this text" : "\"\(text)\"" }

    /// Reads the raw value of a case of `Choice`.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(_ what: String) -> Choice? {
        guard let text = word() else { return nil }
        return Choice(rawValue: text) ?? refuse(text, Choice.allCases.map(\.rawValue), what)
    }

    // MARK: Arrays and objects

    func elements() -> [DocumentNode]? {
        guard let elements = value.elements else { return mismatch("an array") }
        problems.step(elements.count)
        return elements.enumerated().map { index, element in
            DocumentNode(
                value: element, place: .element(of: place, index: index), problems: problems,
                namesVariables: namesVariables, mayHoldSecrets: mayHoldSecrets)
        }
    }

    /// Returns the elements of an array, or the value itself if it is not an array.
    func oneOrMany() -> [DocumentNode] {
        value.kind == .array ? elements() ?? [] : [self]
    }

    /// Returns the members of an object whose keys are names that the author chose.
    func namedMembers() -> [(name: String, node: DocumentNode)]? {
        guard let members = value.members else { return mismatch("an object") }
        var named: [(name: String, node: DocumentNode)] = []
        named.reserveCapacity(members.count)
        for (key, value) in members {
            if key.isEmpty {
                report("a name must not be empty")
            } else {
                named.append((key, node(key, value)))
            }
        }
        return named
    }

    /// Returns this node if it is an object, which has the known keys. It reports unknown keys,
    /// except those that start with `x-`.
    ///
    /// - Parameter elsewhere: For keys that belong to other objects, where they stand.
    func object(
        _ known: DocumentObject, unsupported: [String] = [], elsewhere: [String: String] = [:]
    ) -> DocumentNode? {
        guard let members = value.members else { return mismatch("an object") }
        problems.step(members.count)
        for (key, value) in members where !known.keys.contains(key) && !key.isExtension {
            let member = node(key, value)
            if unsupported.contains(key) {
                member.report("not supported by this version of Restway")
            } else {
                let hint =
                    elsewhere[key].map { ": \($0)" } ?? NearestName.hint(for: key, in: known.keys)
                member.report("unknown key \"\(key)\"\(hint)")
            }
        }
        var object = self
        object.known = known
        return object
    }

    /// Returns this node as `object` does. A text in place of the object is taken for the name of
    /// an entity or type, and the message shows the object.
    func objectWithName(
        _ known: DocumentObject, elsewhere: [String: String] = [:]
    ) -> DocumentNode? {
        guard let name = value.string else { return object(known, elsewhere: elsewhere) }
        let isType = AttributeType(rawValue: name) != nil && known.keys.contains("type")
        let key = isType ? "type" : "entity"
        return refuse("must be an object, is a string: write {\"\(key)\": \"\(name)\"}")
    }

    // MARK: Members

    /// The member called `key`, if the document has it.
    subscript(key: String) -> DocumentNode? {
        value[key].map { node(key, $0) }
    }

    /// Returns the member called `key`, and reports a problem if it is missing.
    func required(_ key: String) -> DocumentNode? {
        self[key] ?? refuse("\"\(key)\" is missing")
    }

    /// Reads the member called `key` into `value`, which stays as it is if the member is missing or
    /// has a problem.
    func read<Value>(_ key: String, into value: inout Value, _ read: (DocumentNode) -> Value?) {
        if let member = self[key].flatMap(read) { value = member }
    }

    /// Reads the number called `key`, as the function above does.
    func read<Number: FixedWidthInteger>(_ key: String, into number: inout Number) {
        if let member: Number = self.number(key) { number = member }
    }

    /// Reads the number called `key`, if the document has it.
    func number<Number: FixedWidthInteger>(_ key: String) -> Number? {
        self[key]?.integer(in: range(key))
    }

    /// Reads the time in milliseconds called `key`, if the document has it. -1 means no limit,
    /// which is returned as 0.
    func milliseconds(_ key: String) -> Int64? {
        guard let node = self[key], let number: Int64 = node.integer(in: range(key)) else {
            return nil
        }
        return number == 0
            ? node.refuse("must be more than 0, or -1 for no time-out") : max(0, number)
    }

    /// The range of the number called `key`.
    ///
    /// - Precondition: `object` has returned this node.
    func range(_ key: String) -> ClosedRange<Int64> {
        guard let known else { preconditionFailure("the keys of \(place.text) are not checked") }
        return known.range(key)
    }

    /// The members that the document's author added for the program, as JSON text.
    var extensions: [String: String] {
        var result: [String: String] = [:]
        for (key, value) in value.members ?? [] where key.isExtension {
            result[key] = String(decoding: value.text(), as: UTF8.self)
        }
        return result
    }

    private func node(_ key: String, _ value: JSONTree) -> DocumentNode {
        problems.step()
        return DocumentNode(
            value: value, place: .member(of: place, key: key), problems: problems,
            namesVariables: namesVariables, mayHoldSecrets: mayHoldSecrets)
    }
}

extension String {
    /// Whether the key starts with `x-` and so belongs to the program. It is compared byte by byte,
    /// as JSON compares keys.
    fileprivate var isExtension: Bool { utf8.starts(with: "x-".utf8) }
}

/// All problems of a document in the order in which they were found, and the number of steps that
/// reading it took.
///
/// It is a class because all nodes of one document report to the same list.
final class DocumentProblems {
    private(set) var details: [Failure.Detail] = []
    private var duplicateCount = 0
    /// The number of steps that reading took: values read, names and templates compared. A test
    /// checks that it is at most a multiple of the document's length.
    private(set) var stepCount = 0
    private var comparedNameCount = 0

    /// Limits the work for names that the document does not have.
    static let comparedNameCountMax = 10_000

    func step(_ count: Int = 1) {
        stepCount += count
    }

    /// Returns, for example: unknown entity "Entreprise"; did you mean "Enterprise"? A document
    /// with very many problems gets no more hints.
    func unknown(_ what: String, _ name: String, among known: [String]) -> String {
        let message = "unknown \(what) \"\(name)\""
        guard comparedNameCount + known.count <= Self.comparedNameCountMax else { return message }
        comparedNameCount += known.count
        step(known.count)
        return message + NearestName.hint(for: name, in: known)
    }

    func report(_ place: DocumentPlace, _ message: String) {
        details.append(Failure.Detail(path: place.text, message: message))
    }

    /// Reports a part that equals an earlier part.
    func reportDuplicate(_ place: DocumentPlace, _ message: String) {
        duplicateCount += 1
        report(place, message)
    }

    /// Whether duplicates are the only problems.
    var areDuplicates: Bool { duplicateCount > 0 && duplicateCount == details.count }

    /// Throws all reported problems as one failure, or returns if no problem was reported.
    func throwIfAny() throws(Failure) {
        guard !details.isEmpty else { return }
        throw Failure(.config, details: details)
    }
}

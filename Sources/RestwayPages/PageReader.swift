import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads

/// Reads what an answer says about its page.
///
/// Only the few values that the document names are parsed, because the mapper has read the rest of
/// the body already.
final class PageReader: Sendable {
    /// A value of the body.
    private enum Found {
        /// There is no value, or it is null.
        case nothing
        case text(String)
        case integer(Int64)
        /// A whole number beyond 64 bits.
        case digits(String)
        case bool(Bool)
        case other(JSONValue.Kind)

        var kind: JSONValue.Kind {
            switch self {
            case .nothing: .null
            case .text: .string
            case .integer, .digits: .integer
            case .bool: .boolean
            case .other(let kind): kind
            }
        }

        init(_ value: JSONValue) {
            self =
                switch value.kind {
                case .null: .nothing
                case .string: Self.text(value)
                case .integer: .integer(value.integer ?? 0)
                // Some languages write whole numbers as 4.0.
                case .real:
                    value.double.flatMap { Int64(exactly: $0) }.map { .integer($0) }
                        ?? .other(.real)
                case .boolean: .bool(value.bool ?? false)
                case let kind: .other(kind)
                }
        }

        private static func text(_ value: JSONValue) -> Found {
            guard let digits = value.borrowedTree.digits else { return .text(value.string ?? "") }
            let isWhole = Array(digits.utf8).withUnsafeBytes { NumberForm.isWhole($0[...]) }
            return isWhole ? .digits(digits) : .other(.real)
        }
    }

    private let rules: PageRules
    private let context: CallContext
    /// The name of the route's mapper.
    private let dataMapper: String?

    init(_ rules: PageRules, _ context: CallContext, dataMapper: String?) {
        self.rules = rules
        self.context = context
        self.dataMapper = dataMapper
    }

    /// Reads the facts of an answer. If this fails, `facts` has the facts that were read
    /// before the failure.
    ///
    /// - Parameter objects: The objects of the page.
    func read(
        _ response: Response, _ objects: ArraySlice<Snapshot>, into facts: inout PageFacts
    ) throws(Failure) {
        let body = Body(response, context, dataMapper)
        if let keyPath = rules.more { facts.saysMore = try saysMore(body, keyPath) }
        facts.total = try total(response, body)
        facts.start = try number(rules.start, response, body)
        guard facts.saysMore != false else { return }
        switch rules.step {
        case .link:
            if let target = LinkHeader.target(of: "next", in: response.headers) {
                facts.next = .url(try resolved(target, response, field: "Link"))
            }
        case .url(let keyPath):
            facts.next = try url(body, keyPath, response)
        case .cursor(let keyPath, _):
            facts.next = try cursor(body, keyPath)
        case .last(let attribute, _):
            if let last = objects.last { facts.next = try cursor(last, attribute, response) }
        case .number, .offset: break
        }
    }

    // MARK: The next page

    private func url(
        _ body: Body, _ keyPath: [String], _ response: Response
    ) throws(Failure) -> PagePlace? {
        switch try body.value(keyPath) {
        case .nothing: return nil
        // Some APIs write an empty text in place of null.
        case .text(let text) where text.isEmpty: return nil
        case .text(let text):
            return .url(try resolved(text, response, field: keyPath.joined(separator: ".")))
        // A link may be an object in JSON:API and HAL.
        case let found where found.kind == .object && keyPath.last != "href":
            return try url(body, keyPath + ["href"], response)
        case let found: throw wrong(keyPath, "a URL or null", found.kind, response)
        }
    }

    private func cursor(_ body: Body, _ keyPath: [String]) throws(Failure) -> PagePlace? {
        switch try body.value(keyPath) {
        case .nothing: return nil
        case .text(let text): return text.isEmpty ? nil : .cursor(text)
        case .integer(let number): return .number(number)
        case .digits(let digits): return .cursor(digits)
        case let found:
            throw wrong(keyPath, "a text, a whole number or null", found.kind, body.response)
        }
    }

    private func cursor(
        _ object: Snapshot, _ attribute: String, _ response: Response
    ) throws(Failure) -> PagePlace {
        switch try written(object, attribute, response) {
        case .string(let text): return .cursor(text)
        case .int64(let number): return .number(number)
        case .double(let number) where number.isFinite:
            return Int64(exactly: number).map { .number($0) }
                ?? .cursor(NumberForm.shortest(number))
        case .date(let date): return .cursor(DateFormat.iso8601.format(date))
        case .bytes(let bytes): return .cursor(Base64.encode(bytes))
        // An attribute of any type holds an integer beyond 64 bits as its digits.
        case .json(let digits) where digits.utf8.allSatisfy(ASCII.isDigit):
            return .cursor(digits)
        default: break
        }
        throw failure(
            "the last object of the page has no text, number or date as \"\(attribute)\", "
                + "from which the next page would be requested", attribute, response)
    }

    /// Returns the value of an attribute as a body would have it, because the server knows the
    /// value in this form.
    private func written(
        _ object: Snapshot, _ attribute: String, _ response: Response
    ) throws(Failure) -> Value {
        guard let index = object.entity.attributeIndex(named: attribute) else { return .absent }
        let definition = context.api.definition
        let value = object.value(at: index)
        let mapping = definition.entityMappings.first { $0.entity === object.entity }
        let conversion = mapping?.attributes.first { $0.attribute == index }?.conversion
        guard let conversion else { return value }
        do throws(TransformError) {
            return try CallbackScope.run { () throws(TransformError) in
                try conversion.encode(value, definition.functions.transforms)
            }
        } catch {
            var failure = failure(
                "the last object's \"\(attribute)\" cannot be written: \(error.reason)",
                attribute, response)
            failure.cause = error.cause
            throw failure
        }
    }

    private func resolved(
        _ reference: String, _ response: Response, field: String
    ) throws(Failure) -> String {
        do throws(RoutingError) {
            let url = try URLText.resolve(reference, against: response.url)
            return withoutCredential(url)
        } catch {
            var failure = failure(
                "the URL of the next page: \(error.message)", field, response)
            failure.reason = .invalidURL
            throw failure
        }
    }

    /// Removes the parameter in which the client sends its API key. A server may repeat it in the
    /// URL of the next page, and the client adds it to each request.
    private func withoutCredential(_ url: String) -> String {
        guard case .apiKey(let name, isInQuery: true) = context.api.definition.auth.scheme else {
            return url
        }
        return URLText.withoutParameter(name, in: url)
    }

    // MARK: Values

    private func saysMore(_ body: Body, _ keyPath: [String]) throws(Failure) -> Bool {
        let found = try body.value(keyPath)
        if case .bool(let saysMore) = found { return saysMore }
        throw wrong(keyPath, "true or false", found.kind, body.response)
    }

    /// Returns the number of all objects; `nil` if it is not known. Servers that do not count write
    /// -1 then, also as an unsigned number.
    private func total(_ response: Response, _ body: Body) throws(Failure) -> Int64? {
        switch try found(rules.total, response, body) {
        case .integer(..<0), .digits: return nil
        case let found: return try number(found, rules.total, response)
        }
    }

    private func number(
        _ place: PageRules.Place?, _ response: Response, _ body: Body
    ) throws(Failure) -> Int64? {
        try number(found(place, response, body), place, response)
    }

    private func number(
        _ found: Found, _ place: PageRules.Place?, _ response: Response
    ) throws(Failure) -> Int64? {
        switch found {
        case .nothing: return nil
        case .integer(let number) where number >= 0: return number
        case .integer: throw wrong(place, "a number that is not negative", response)
        case .digits: throw wrong(place, "a whole number of at most 2^63 - 1", response)
        case let found:
            let kind = found.kind.withArticle
            throw wrong(place, "a whole number or null", response, ", found \(kind)")
        }
    }

    /// Returns the number at a place. A text that is a number counts as one.
    private func found(
        _ place: PageRules.Place?, _ response: Response, _ body: Body
    ) throws(Failure) -> Found {
        let found: Found
        switch place {
        case nil: return .nothing
        case .header(let name)?: found = response.headers[first: name].map(Found.text) ?? .nothing
        case .keyPath(let keyPath)?: found = try body.value(keyPath)
        }
        guard case .text(let text) = found else { return found }
        if text.isEmpty { return .nothing }
        let bytes = Array(text.utf8)
        let isNumber = bytes.withUnsafeBytes { NumberForm.fits($0[...]) }
        guard isNumber, let number = try? JSONValue.parse(text, .anyJSON) else { return found }
        return Found(number)
    }

    private func wrong(
        _ place: PageRules.Place?, _ expected: String, _ response: Response, _ found: String = ""
    ) -> Failure {
        switch place {
        case .header(let name)?:
            failure("expected \(expected) in the header \(name)", name, response)
        case .keyPath(let keyPath)?:
            failure(
                "expected \(expected) at \(keyPath.joined(separator: "."))\(found)",
                keyPath.joined(separator: "."), response)
        case nil:
            failure("expected \(expected)", "", response)
        }
    }

    private func wrong(
        _ keyPath: [String], _ expected: String, _ kind: JSONValue.Kind, _ response: Response
    ) -> Failure {
        let path = keyPath.joined(separator: ".")
        return failure("expected \(expected) at \(path), found \(kind.withArticle)", path, response)
    }

    private func failure(_ text: String, _ field: String, _ response: Response) -> Failure {
        var failure = Failure(
            .mapping, "\(URLText.withoutQuery(response.url)): pages: \(text)", field: field)
        failure.httpStatus = response.status
        failure.response = response
        return failure
    }

    /// The body of an answer, in which few values are looked up.
    private final class Body {
        let response: Response
        private let context: CallContext
        private let dataMapper: String?
        /// The body of a format other than JSON, once it was read.
        private var read: JSONValue?

        init(_ response: Response, _ context: CallContext, _ dataMapper: String?) {
            self.response = response
            self.context = context
            self.dataMapper = dataMapper
        }

        func value(_ keyPath: [String]) throws(Failure) -> Found {
            if let value = read { return found(value, keyPath) }
            let type = response.headers.joined("Content-Type")
            let mapper = context.mappers.mapper(
                named: dataMapper, type: type, looksLikeJSON: true)
            if let mapper, !MediaType.reads(mapper, MediaType.json) {
                let limits = context.options.mappingLimits
                let value = withBytes { JSONValue.read($0, by: mapper, limits) }
                guard let value else { return .nothing }
                read = value
                return found(value, keyPath)
            }
            let value: JSONValue? = withBytes { bytes in
                let text = JSONValue.withoutByteOrderMark(bytes)
                guard let part = JSONOutline(text).value(at: keyPath), let first = part.first
                else { return nil }
                // The content of a container does not matter.
                if first == UInt8(ascii: "{") { return .object([]) }
                if first == UInt8(ascii: "[") { return .array([]) }
                return try? JSONValue.parse(part, .anyJSON)
            }
            return value.map(Found.init) ?? .nothing
        }

        private func found(_ value: JSONValue, _ keyPath: [String]) -> Found {
            value.value(atKeyPath: keyPath).map(Found.init) ?? .nothing
        }

        private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            response.bodyForJSON.withBytes(body)
        }
    }
}

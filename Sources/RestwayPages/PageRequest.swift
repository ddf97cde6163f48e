import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText

/// The request of a program for all pages of a route, and the request for each page.
final class PageRequest: Sendable {
    let rules: PageRules
    let reader: PageReader
    private let context: CallContext
    let route: Route
    /// The request without the parameter of the page.
    private let spec: RequestSpec
    /// The place at which the program begins, and the number of objects before it, if it is known.
    let begin: (place: PagePlace, offset: Int64?)

    /// - Parameter spec: The request. Later changes of its draft do not reach the pages.
    init(_ spec: RequestSpec, _ context: CallContext) throws(Failure) {
        let spec = spec.captured()
        guard let (route, method) = try context.route(of: spec) else {
            throw Failure(
                .invalidArgument, "pages are requested by the name of a route", field: "request")
        }
        let settings = context.api.definition.settings(of: route)
        guard let rules = settings.answers.pages else {
            throw Failure(
                .invalidArgument,
                "route \"\(route.displayName)\" has no \"pages\" in the API document",
                field: "request")
        }
        guard method == .get || method == .post && rules.parameter != nil else {
            throw Failure(
                .invalidArgument,
                "route \"\(route.displayName)\" has no pages with \(method.rawValue)",
                field: "request")
        }
        self.rules = rules
        self.context = context
        self.route = route
        reader = PageReader(rules, context, dataMapper: settings.dataMapper)
        begin = try Self.begin(spec, rules)
        self.spec = spec
    }

    /// Finds the place at which the program begins: the parameter of the page may be given.
    private static func begin(
        _ spec: RequestSpec, _ rules: PageRules
    ) throws(Failure) -> (place: PagePlace, offset: Int64?) {
        let given = rules.parameter.flatMap { name in
            spec.parameters.last { $0.keys == [name] }
        }
        switch rules.step {
        case .link, .url: return (.first, 0)
        case .cursor, .last: return (.first, given == nil ? 0 : nil)
        case .number(let name, let first), .offset(let name, let first):
            guard let given else { return (.number(first), 0) }
            guard let number = given.value.wholeNumber else {
                throw Failure(
                    .invalidArgument, "parameter \"\(name)\" is not a whole number", field: name)
            }
            if case .offset = rules.step { return (.number(number), max(0, number - first)) }
            return (.number(number), number == first ? 0 : nil)
        }
    }

    /// Returns the request for a page.
    func spec(at place: PagePlace) -> RequestSpec {
        var spec = spec
        switch place {
        case .first: break
        case .url(let url):
            spec.target = .link(url, from: spec.target)
            return spec
        case .cursor(let text): set(.leaf(.string(text)), in: &spec)
        case .number(let number): set(.leaf(.int64(number)), in: &spec)
        }
        // Each page is a request of its own, so a key that the program gives is the first page's.
        if place != begin.place { spec.sending.idempotencyKey = nil }
        if let size = rules.size, !spec.parameters.contains(where: { $0.keys == [size.parameter] })
        {
            let count = WireValue.leaf(.int64(size.count))
            spec.parameters.append(Parameter(keys: [size.parameter], value: count))
        }
        return spec
    }

    /// Returns the name under which a store keeps the objects of these pages: the route, and a
    /// digest of the request for the first page, which may hold a secret. Refuses pages of values,
    /// which no list can keep.
    func nameOfList() throws(Failure) -> String {
        let prepared = try context.prepareToRead(spec(at: begin.place))
        if isOfValues(prepared) { throw Self.refusalOfValues(route) }
        if isUnkept(prepared) { throw Self.refusalOfUnkept(route) }
        let first = prepared.exchange
        guard let digest = DigestComputation(.sha256) else {
            throw Failure(.outOfMemory, "no memory is left for a digest")
        }
        var bytes = Array("\(first.method) \(first.url)\n".utf8)
        if case .bytes(let body) = first.body { bytes += body }
        bytes.withUnsafeBytes { digest.add($0) }
        return "\(route.displayName) \(digest.finishAsText())"
    }

    /// Whether the API document says that the answers have values in place of objects. Of
    /// descriptors for several media types, the answer decides.
    private func isOfValues(_ prepared: PreparedRequest) -> Bool {
        let descriptors = context.api.loaded.successDescriptors(
            prepared.method, prepared.descriptorChoice)
        guard descriptors.contains(where: { !$0.mediaTypes.isEmpty }) else {
            return descriptors.first?.valueConversion != nil
        }
        return descriptors.allSatisfy { $0.valueConversion != nil }
    }

    /// Whether the API document says that no store keeps the objects of the answers.
    private func isUnkept(_ prepared: PreparedRequest) -> Bool {
        let descriptors = context.api.loaded.successDescriptors(
            prepared.method, prepared.descriptorChoice)
        return !descriptors.isEmpty
            && descriptors.allSatisfy { !$0.keepsObjects || !$0.mapping.entity.isKept }
    }

    static func refusalOfUnkept(_ route: Route) -> Failure {
        Failure(
            .invalidArgument,
            "a list is in the store, and no store keeps the objects of route "
                + "\"\(route.displayName)\" (\"keep\": false); go through its pages instead",
            field: "request")
    }

    static func refusalOfValues(_ route: Route) -> Failure {
        Failure(
            .invalidArgument,
            "a list in the store keeps objects, but the pages of route \"\(route.displayName)\" "
                + "have values", field: "request")
    }

    private func set(_ value: WireValue, in spec: inout RequestSpec) {
        guard let name = rules.parameter else { return }
        spec.parameters.removeAll { $0.keys == [name] }
        spec.parameters.append(Parameter(keys: [name], value: value))
    }

    /// Whether the answer to the request for a page says that there is no such page. The first page
    /// always exists, so that its failure is one.
    func isEnd(_ failure: Failure, at place: PagePlace) -> Bool {
        failure.reason == .http && place != begin.place
            && rules.endStatuses.contains(failure.httpStatus)
    }

    func failure(_ error: PageError, _ response: Response) -> Failure {
        var failure = Failure(
            .protocolViolation,
            "\(URLText.withoutQuery(response.url)): pages: \(error.message)", field: "pages")
        failure.httpStatus = response.status
        failure.response = response
        return failure
    }
}

extension WireValue {
    /// The value as a whole number; `nil` if it is not a whole number.
    fileprivate var wholeNumber: Int64? {
        guard case .leaf(let value) = self else { return nil }
        switch value {
        case .int64(let number): return number
        case .string(let text): return Int64(text)
        default: return nil
        }
    }
}

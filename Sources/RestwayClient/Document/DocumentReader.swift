import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwaySupport

/// Reads an API document into an `APIDefinition`, and finds everything that is wrong with it.
struct DocumentReader {
    static let keys = [
        "$schema", "restway", "environment", "environments", "headers", "entities", "routes",
        "responses", "requests", "errors", "redact", "store", "transforms", "auth", "retry",
        "plugins", "dataMapper", "transport", "batch", "outbox",
    ]

    /// Sections of later versions: refused by name, so that nothing is silently left undone.
    static let keysOfLaterVersions = [
        "cache",
    ]

    let problems = DocumentProblems()
    var definition = APIDefinition()

    static func read(_ text: UnsafeRawBufferPointer) throws(Failure) -> APIDefinition {
        let value: JSONValue
        do {
            value = try JSONValue.parse(text, .init(rejectsDuplicateKeys: true))
        } catch {
            throw Failure(
                .config, details: [.init(path: "$", message: error.message)])
        }
        var reader = DocumentReader()
        reader.read(DocumentNode(value: value, path: "$", problems: reader.problems))
        try reader.problems.throwIfAny()
        return reader.definition
    }

    private mutating func read(_ root: DocumentNode) {
        guard let document = root.object(Self.keys, unsupported: Self.keysOfLaterVersions) else {
            return
        }
        if let version = document.required("restway") {
            if version.value.integer != 1 { version.report("must be 1, the format's version") }
        }
        // For editors; nothing is fetched.
        _ = document["$schema"]?.string()
        if let headers = document["headers"] { definition.headers = headers.headers() }
        readEnvironments(document)
        readErrors(document)
        definition.store = document["store"]?.store() ?? StoreSettings()
        readPlugins(document)
        if let redact = document["redact"]?.elements() {
            definition.redaction = Redaction(redact.compactMap { $0.nonEmptyString() })
        }
        if let transforms = document["transforms"] { readTransforms(transforms) }
        if let auth = document["auth"] { readAuth(auth) }
        // A route's policy stands on that of the document.
        definition.retry = document["retry"]?.retryPolicy()
        definition.batch = document["batch"]?.batch()
        definition.outbox = document["outbox"]?.outbox()
        // Descriptors name entities, so those come first.
        if let entities = document["entities"]?.namedMembers() {
            // Relationships name entities too, also later ones.
            definition.entityNames = entities.map(\.name)
            for (index, (name, node)) in entities.enumerated() { readEntity(name, index, node) }
        }
        if let routes = document["routes"]?.namedMembers() { addRoutes(routes) }
        if let responses = document["responses"]?.elements() {
            for response in responses { addResponse(response) }
        }
        if let requests = document["requests"]?.elements() {
            for request in requests { addRequest(request) }
        }
    }

    private mutating func readEnvironments(_ document: DocumentObject) {
        if let environments = document["environments"]?.namedMembers() {
            for (name, node) in environments {
                // One with a problem is kept as known, so that naming it is no second problem.
                definition.environmentNames.append(name)
                if let environment = node.environment(name) {
                    definition.environments[name] = environment
                }
            }
        }
        guard let chosen = document["environment"], let name = chosen.nonEmptyString() else {
            return
        }
        definition.environment = name
        if !definition.environmentNames.contains(name) {
            chosen.report(unknown("environment", name, definition.environmentNames))
        }
    }

    private mutating func readErrors(_ document: DocumentObject) {
        let known = ["code", "message", "format"]
        guard let errors = document["errors"]?.object(known) else { return }
        let formats = ErrorDefinition.Format.allCases.map(\.rawValue)
        definition.errors = ErrorDefinition(
            code: errors["code"]?.keyPath(), message: errors["message"]?.keyPath(),
            format: errors["format"]?.choice(formats).flatMap(ErrorDefinition.Format.init))
    }

    /// "unknown entity "Entreprise"; did you mean "Enterprise"?"
    func unknown(_ what: String, _ name: String, _ known: [String]) -> String {
        let hint = NearestName.to(name, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return "unknown \(what) \"\(name)\"\(hint)"
    }
}

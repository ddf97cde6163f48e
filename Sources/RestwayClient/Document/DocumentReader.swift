import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayText
import RestwayThreads

/// Reads an API document into an `APIDefinition` and finds all its problems.
struct DocumentReader {
    static let keys = [
        "$schema", "restway", "environment", "environments", "headers", "entities", "routes",
        "responses", "requests", "errors", "redact", "store", "transforms", "auth", "retry",
        "plugins", "dataMapper", "transport", "batch", "outbox", "fileMode", "redirectHeaders",
        "redirectBodies",
    ]

    /// Sections of later versions. They are refused by name, so that a section is never silently
    /// ignored.
    static let keysOfLaterVersions = [
        "cache",
    ]

    let problems: DocumentProblems
    var definition = APIDefinition()

    init(problems: DocumentProblems = DocumentProblems()) {
        self.problems = problems
    }

    /// Reads a document.
    ///
    /// - Parameter problems: Receives the problems, and the number of steps that reading took.
    static func read(
        _ text: UnsafeRawBufferPointer, problems: DocumentProblems = DocumentProblems()
    ) throws(Failure) -> APIDefinition {
        ForkBarrier.add(.own) {
            JSONValue.chooseSeed()
            return nil
        }
        let value: JSONValue
        do {
            value = try JSONValue.parse(text, .init(rejectsDuplicateKeys: true))
        } catch {
            throw Failure(
                .config, details: [.init(path: "$", message: error.message)])
        }
        var reader = DocumentReader(problems: problems)
        reader.read(DocumentNode(value: value, path: "$", problems: reader.problems))
        reader.reportUndecidedTemplates()
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
        // This is for editors; the library fetches nothing.
        _ = document["$schema"]?.string()
        if let headers = document["headers"] { definition.headers = headers.headers() }
        readEnvironments(document)
        readErrors(document)
        definition.store = document["store"]?.store() ?? StoreSettings()
        if let mode = document["fileMode"]?.fileMode() { definition.fileMode = mode }
        readPlugins(document)
        if let redact = document["redact"]?.elements() {
            definition.redaction = Redaction(redact.compactMap { $0.nonEmptyString() })
        }
        definition.redirects = RedirectRules(
            addedNames: document["redirectHeaders"]?.redirectHeaders() ?? [],
            carriesBodies: document["redirectBodies"]?.bool() ?? false)
        if let transforms = document["transforms"] { readTransforms(transforms) }
        if let auth = document["auth"] { readAuth(auth) }
        // A route's policy builds on the document's policy.
        definition.retry = document["retry"]?.retryPolicy()
        definition.batch = document["batch"]?.batch()
        definition.outbox = document["outbox"]?.outbox()
        // Descriptors name entities, so entities come first.
        if let entities = document["entities"]?.namedMembers() {
            // Relationships also name entities, even later ones.
            for entity in entities { definition.addEntityName(entity.name) }
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
                // An environment with a problem stays known, so that naming it is not reported as
                // another problem.
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

    /// Returns, for example: unknown entity "Entreprise"; did you mean "Enterprise"?
    func unknown(_ what: String, _ name: String, _ known: [String]) -> String {
        var hint: String?
        if problems.mayCompareNames(known.count) {
            hint = NearestName.to(name, in: known).map { "; did you mean \"\($0)\"?" }
        }
        return "unknown \(what) \"\(name)\"\(hint ?? "")"
    }
}

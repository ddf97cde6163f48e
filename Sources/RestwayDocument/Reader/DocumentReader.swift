import RestwayHTTP
import RestwayJSON
import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// Reads an API document into an `APIDefinition` and finds all its problems.
///
/// This walks over the sections of the document. Each section is read by the type that holds its
/// content, in a file of its own.
enum DocumentReader {
    static let keys = [
        "$schema", "restway", "environment", "environments", "headers", "entities", "routes",
        "responses", "requests", "errors", "redact", "store", "transforms", "auth", "retry", "rate",
        "plugins", "dataMapper", "transport", "batch", "outbox", "fileMode", "redirectHeaders",
        "redirectBodies", "forms", "cache",
    ]

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
        var definition = APIDefinition()
        var arena = JSONArena()
        do {
            try arena.withTree(text, DocumentNode.options) { value in
                let root = DocumentNode(value: value, problems: problems)
                if let document = root.object(keys) {
                    read(document, into: &definition)
                }
            }
        } catch {
            throw DocumentNode.failure(error)
        }
        definition.rules.reportUndecidedTemplates(problems)
        try problems.throwIfAny()
        return definition
    }

    private static func read(_ document: DocumentNode, into definition: inout APIDefinition) {
        if let version = document.required("restway"), version.value.integer != 1 {
            version.report("must be 1, the format's version")
        }
        // This is for editors; the library fetches nothing.
        _ = document["$schema"]?.string()
        document.read("headers", into: &definition.environments.headers) { $0.headers() }
        definition.environments.read(document)
        document.read("errors", into: &definition.errors, ErrorDefinition.init)
        document.read("store", into: &definition.storage.store, StoreSettings.init)
        document.read("fileMode", into: &definition.storage.fileMode, FileMode.init)
        definition.plugins.read(document)
        document.read("redact", into: &definition.redaction) { node in
            node.elements().map { Redaction($0.compactMap { $0.nonEmptyString() }) }
        }
        definition.environments.redirects = RedirectRules(document)
        if let transforms = document["transforms"] {
            definition.entityCatalog.readTransforms(transforms, &definition.functions)
        }
        document.read("auth", into: &definition.auth, AuthDefinition.init)
        if let name = definition.auth.apiKeyName { definition.redaction.add(name) }
        // A route's policy builds on the document's policy.
        definition.policies.retry = document["retry"].flatMap { RetryPolicy($0) }
        definition.policies.rate = document["rate"].flatMap { RatePolicy($0) }
        definition.batch = document["batch"].flatMap(BatchDefinition.init)
        definition.storage.outbox = document["outbox"].flatMap(OutboxDefinition.init)
        definition.storage.cache = document["cache"].flatMap(CacheDefinition.init)
        // Descriptors name entities, so entities come first.
        if let entities = document["entities"]?.namedMembers() {
            definition.entityCatalog.add(entities, &definition.functions)
        }
        let routes = document["routes"]?.namedMembers() ?? []
        let responses = document["responses"]?.elements() ?? []
        let requests = document["requests"]?.elements() ?? []
        definition.routes.reserveCapacity(routes.count)
        definition.rules.reserveCapacity(
            routes: routes.count, responses: responses.count, requests: requests.count)
        document.read("forms", into: &definition.rules.forms, FormRules.init)
        definition.addRoutes(routes)
        for response in responses { definition.addResponse(response) }
        for request in requests { definition.addRequest(request) }
    }
}

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
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - place: The file of the document.
    ///   - problems: Receives the problems, and the number of steps that reading took.
    static func read(
        _ text: UnsafeRawBufferPointer, at place: FilePlace = FilePlace(path: nil),
        problems: DocumentProblems = DocumentProblems()
    ) throws(Failure) -> (APIDefinition, DocumentText) {
        ForkBarrier.add(.own) {
            JSONValue.chooseSeed()
            return nil
        }
        var definition = APIDefinition()
        var documentText = DocumentText()
        var arena = JSONArena()
        do {
            try arena.withTree(text, DocumentNode.options) { value in
                let root = DocumentNode(value: value, problems: problems)
                if WebApiClientConfiguration.isConfiguration(value) {
                    documentText.files = [Array(text)]
                    WebApiClientConfiguration.read(root, into: &definition)
                    return
                }
                if ForeignDescription.isOpenAPI(value) {
                    return root.report(ForeignDescription.message)
                }
                let document = DocumentFiles(root, Array(text), at: place, problems)
                documentText.files = document.texts
                read(document, into: &definition)
                // The nodes do not keep the trees of included files.
                withExtendedLifetime(document) {}
            }
        } catch {
            guard ForeignDescription.isOpenAPI(yaml: text) else {
                throw DocumentNode.failure(error)
            }
            throw Failure(.config, details: [.init(path: "$", message: ForeignDescription.message)])
        }
        definition.rules.reportUndecidedTemplates(problems)
        try problems.throwIfAny()
        return (definition, documentText)
    }

    private static func read(_ document: DocumentFiles, into definition: inout APIDefinition) {
        definition.environments.read(document)
        document.read("errors", into: &definition.errors, ErrorDefinition.init)
        document.read("store", into: &definition.storage.store, StoreSettings.init)
        document.read("fileMode", into: &definition.storage.fileMode, FileMode.init)
        definition.plugins.read(document)
        definition.redaction = Redaction(
            document.elements("redact").compactMap { $0.nonEmptyString() })
        if let transforms = document["transforms"] {
            definition.entityCatalog.readTransforms(transforms, &definition.functions)
        }
        document.read("auth", into: &definition.auth) { AuthDefinition($0.expanding.secret) }
        if let name = definition.auth.apiKeyName { definition.redaction.add(name) }
        // A route's policy builds on the document's policy.
        definition.policies.retry = document["retry"].flatMap { RetryPolicy($0) }
        definition.policies.rate = document["rate"].flatMap { RatePolicy($0) }
        if let validate = document["validate"] {
            if let validation = Validation(validate, over: .usual) {
                definition.policies.answers = AnswerRules(validation: validation)
            }
            if let function = validate["function"], let name = function.value.string {
                definition.functions.mention(name, .validator, at: function.place)
            }
        }
        if ObjectFormat(document) == .jsonapi { definition.useJSONAPI() }
        let (modifiers, interceptors) = (document["modifiers"], document["interceptors"])
        definition.policies.stages = StageNames(modifiers: modifiers, interceptors: interceptors)
        definition.functions.mention(modifiers: modifiers, interceptors: interceptors)
        definition.batch = document["batch"].flatMap(BatchDefinition.init)
        definition.storage.outbox = document["outbox"].flatMap(OutboxDefinition.init)
        definition.storage.cache = document["cache"].flatMap(CacheDefinition.init)
        // Descriptors name entities, so entities come first.
        definition.addEntities(
            document.members("entities"), unions: document.members("unions"))
        let routes = document.members("routes")
        let responses = document.elements("responses")
        let requests = document.elements("requests")
        definition.routes.reserveCapacity(routes.count)
        definition.rules.reserveCapacity(
            routes: routes.count, responses: responses.count, requests: requests.count)
        document.read("forms", into: &definition.rules.forms, FormRules.init)
        definition.addRoutes(routes)
        for response in responses { definition.addResponse(response) }
        for request in requests { definition.addRequest(request) }
    }
}

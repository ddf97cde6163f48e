import RestwayHTTP
import RestwayJSON
import RestwayText

/// The keys of a route that say how its bodies are written, sent and accepted.
extension BodySettings {
    /// - Parameters:
    ///   - route: The object of the route.
    ///   - usual: The rules of the document for answers.
    ///   - resources: The resources of JSON:API.
    init(ofRoute route: DocumentNode, over usual: AnswerRules, _ resources: ResourceTypes) {
        self.init()
        if resources.isUsed { mediaType = JSONAPI.mediaType }
        serialization = route["serializationName"]?.choice("serialization")
        // WebApiClient lets the number win over the name.
        if let number: Int = route.number("serialization") {
            serialization = Serialization(number: number)
        }
        route.read("forms", into: &forms, FormRules.init)
        route.read("gzip", into: &isCompressed) { $0.bool() }
        route.read("expectContinue", into: &expectsContinue) { $0.bool() }
        upload = route["resumable"].flatMap(UploadPlan.init)
        answers = AnswerRules(ofRoute: route, over: usual)
        encoder = route["encode"]?.nonEmptyString()
        if encoder != nil {
            let why = "stands beside \"encode\", which says how bodies are written"
            route["serialization"]?.report(why)
            route["serializationName"]?.report(why)
        }
    }
}

extension UploadPlan {
    /// Reads `"tus"` or `{"protocol": "tus", "pieceBytes": 8388608}`.
    init?(_ node: DocumentNode) {
        if node.value.string != nil {
            guard let known: UploadProtocol = node.choice("protocol") else { return nil }
            self.init(known)
            return
        }
        guard let object = node.object(.resumableUpload) else { return nil }
        let known: UploadProtocol? = object.required("protocol")?.choice("protocol")
        let pieceBytes: Int64? = object.number("pieceBytes")
        guard let known else { return nil }
        self.init(known)
        if let pieceBytes { pieceBytesMax = pieceBytes }
    }
}

extension FormRules {
    /// Reads `{"lists": "indices", "nesting": "dots"}`.
    init?(_ node: DocumentNode) {
        guard let object = node.object(.forms) else { return nil }
        self.init()
        lists = object["lists"]?.choice("form of lists")
        nesting = object["nesting"]?.choice("form of nesting")
    }
}

extension DocumentNode {
    /// Reads one media type or several, for example `image/*`.
    func mediaTypes() -> [String] {
        if value.elements?.isEmpty ?? false { report("must name at least one media type") }
        return oneOrMany().compactMap { node in
            guard let type = node.nonEmptyString() else { return nil }
            if MediaType.isRange(type) { return type }
            return node.refuse("\"\(type)\" is no media type: write \"image/png\" or \"image/*\"")
        }
    }
}

import RestwayHTTP
import RestwayJSON

/// The keys `validate` and `parse`.
extension Validation {
    /// Reads `{"status": ["2xx", 304], "headers": [...], "mediaTypes": [...], "function": "name"}`.
    ///
    /// - Parameter usual: The rules whose keys these rules replace.
    convenience init?(_ node: DocumentNode, over usual: Validation) {
        guard let object = node.object(.validate) else { return nil }
        let statuses = object["status"]
        if statuses?.value.elements?.isEmpty ?? false {
            statuses?.report("must name at least one status")
        }
        let headers = object["headers"]?.oneOrMany().compactMap { node in
            node.nonEmptyString().flatMap { node.checkHeaderName($0) ? $0 : nil }
        }
        self.init(
            statuses: statuses?.statusRanges() ?? usual.statuses,
            headers: headers ?? usual.headers,
            mediaTypes: object["mediaTypes"]?.mediaTypes() ?? usual.mediaTypes,
            function: object["function"]?.nonEmptyString() ?? usual.function)
    }
}

extension AnswerRules {
    /// - Parameters:
    ///   - route: The object of the route.
    ///   - usual: The rules of the document.
    convenience init(ofRoute route: DocumentNode, over usual: AnswerRules) {
        let validation = usual.validation
        self.init(
            accepted: route["accept"]?.mediaTypes() ?? usual.accepted,
            validation: route["validate"].flatMap { Validation($0, over: validation) }
                ?? validation,
            parser: route["parse"]?.nonEmptyString().map(ParserChoice.init) ?? .objects)
    }
}

extension ProgramFunctions {
    /// Remembers the functions that a route names for its answers and its bodies.
    mutating func mention(_ body: BodySettings, of route: DocumentNode) {
        if let name = body.answers.validation.function, let node = route["validate"]?["function"] {
            mention(name, .validator, at: node.place)
        }
        if case .function(let name) = body.answers.parser, let node = route["parse"] {
            mention(name, .parser, at: node.place)
        }
        if let name = body.encoder, let node = route["encode"] {
            mention(name, .encoder, at: node.place)
        }
    }
}

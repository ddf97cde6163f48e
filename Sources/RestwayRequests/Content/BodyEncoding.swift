import RestwayDocument
import RestwayHTTP
import RestwayJansson
import RestwayMapping
import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

extension AnswerRules {
    /// Returns the rules for the answers to a request.
    ///
    /// - Parameter settings: The settings of its route, if it has one.
    static func of(
        _ spec: RequestSpec, _ destination: RequestDestination,
        _ settings: RouteSettings, _ api: LoadedAPI
    ) throws(Failure) -> AnswerRules {
        // Only the answers inside the answer to a batch are those of the API.
        if spec.batchRole == .call { return .usual }
        let isOfRoute = destination.route != nil
        let rules = isOfRoute ? settings.body.answers : api.definition.policies.answers
        guard let name = spec.reception.parser else { return rules }
        let parser = ParserChoice(name: name)
        let parsers = api.definition.functions.parsers
        if case .function = parser, parsers[name] == nil {
            let hint = NearestName.hint(
                for: name, in: ParserChoice.builtIn.map(\.name) + Array(parsers.keys))
            throw Failure(
                .invalidArgument, "there is no parser \"\(name)\"\(hint)", field: "parser")
        }
        return AnswerRules(
            accepted: rules.accepted, validation: rules.validation, parser: parser)
    }
}

/// Lets a function of the program write the body of one request.
struct BodyEncoding {
    let name: String
    let function: BodyEncoder?
    /// The media type of the body if the function sets none.
    let mediaType: String?
    /// False where the program must not be asked. The body is then made later.
    let mayAsk: Bool
    let limits: MappingLimits

    var filesRefused: Failure {
        Failure(
            .invalidArgument, "the route has the encoder \"\(name)\", which takes no files",
            field: "files")
    }

    func content(of values: WireObject) throws(Failure) -> RequestContent {
        guard mayAsk else { return RequestContent(isOwed: true) }
        let json: [UInt8]
        do throws(MapperError) {
            json = try RequestBody.json.encode(
                ValueReader(.object(values), json: RequestBody.json, limits: limits))
        } catch {
            throw Failure(.mapping, "the body of the request: \(error.message)")
        }
        return try content(ofJSON: json)
    }

    func content(ofJSON json: [UInt8]) throws(Failure) -> RequestContent {
        guard mayAsk else { return RequestContent(isOwed: true) }
        guard let function else {
            throw Failure(.config, "encoder \"\(name)\" has not been added", field: name)
        }
        let written: EncodedBody
        do throws(Failure) {
            written = try function(json + [0])
        } catch {
            var failure = error
            failure.isOfProgram = true
            failure.message = "encoder \"\(name)\": \(error.message)"
            throw failure
        }
        return RequestContent(
            body: .bytes(written.bytes),
            mediaType: written.mediaType ?? mediaType ?? "application/octet-stream")
    }
}

extension RequestPreparation {
    /// Returns the encoder of the body; `nil` if no function of the program writes the body. A
    /// request that chooses a serialization itself is not written by its route's encoder.
    func encoding(_ spec: RequestSpec, _ settings: RouteSettings) -> BodyEncoding? {
        guard let name = settings.body.encoder, spec.given.serialization == nil else { return nil }
        return BodyEncoding(
            name: name, function: api.definition.functions.encoders[name],
            mediaType: spec.contentType ?? settings.contentType(nil), mayAsk: questions.mayAsk,
            limits: context.options.mappingLimits)
    }
}

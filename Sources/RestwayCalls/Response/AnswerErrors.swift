package import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads

/// Reads what an answer that is no success says about its error.
struct AnswerErrors {
    private let processor: ResponseProcessor
    private var call: Call { processor.call }

    init(_ processor: ResponseProcessor) {
        self.processor = processor
    }

    /// Returns the failure for an answer whose status is no success. It may ask the program; then
    /// it runs on a worker.
    func httpFailure(_ answer: Answer) -> Failure {
        let error = apiError(answer)
        var message = "\(processor.describe(answer)) answered \(answer.status)"
        if let reason = HTTPStatus.reasons[answer.status] { message += " \(reason)" }
        if answer.isSuccess { message += ", which its route does not take as a success" }
        if let text = error.summary ?? excerpt(of: answer, error) ?? notDecoded(answer, error) {
            message += ": \(text)"
        }
        if let code = error.code { message += " (API code \(code))" }
        if let name = routeNamedAsPath(answer) {
            message += "; \"\(name)\" is a route: a request by route is made with its name"
        }
        var failure = Failure(.http, message, domain: error.isFound ? .api : .http)
        failure.httpStatus = answer.status
        failure.apiCode = error.code
        failure.apiMessage = error.message
        failure.details = error.details
        failure.response = processor.response(answer)
        failure.request = failure.response?.request
        failure.isOfNetwork = NetworkAnswers(processor).isLedAway(answer)
        failure.losesContent = NetworkAnswers(processor).losesContent(answer)
        failure.wasSentBefore = answer.isToRepetition
        failure.versions = processor.versionFacts(answer, apiCode: error.code)
        failure.isRetryable = failure.meaning?.mayPass ?? false
        guard let read = call.context.functions.failureReader else { return failure }
        return CallbackScope.run { read(failure) }
    }

    /// Returns the name of a route that the program has probably given as a path: the server does
    /// not know the path, and the route of this name leads to another one.
    private func routeNamedAsPath(_ answer: Answer) -> String? {
        let destination = processor.request.destination
        guard [404, 405].contains(answer.status), destination.route == nil,
            let path = destination.path,
            let route = try? call.api.definition.routes.route(named: path),
            route.template.text != path
        else { return nil }
        return path
    }

    /// Returns the API's own error in a body.
    func apiError(_ answer: Answer) -> APIError {
        APIError(
            body: answer.body, mediaType: answer.headers[first: "Content-Type"],
            call.api.definition.errors, read: { self.json($0, of: answer) })
    }

    /// Returns the type of the problem that a body describes (RFC 9457, section 3.1.1).
    func problemType(_ answer: Answer) -> String? {
        answer.body.withBytes { self.json($0, of: answer) }?["type"]?.string
    }

    /// Returns why nothing was found in a body that is still coded; `nil` if it is not.
    private func notDecoded(_ answer: Answer, _ error: APIError) -> String? {
        error.isFound || answer.body.isEmpty
            ? nil : ContentDecoder.reasonNotDecoded(answer.headers)
    }

    /// Returns the first bytes of a body in which no error was found.
    private func excerpt(of answer: Answer, _ error: APIError) -> String? {
        error.isFound ? nil : excerpt(of: answer)
    }

    /// Returns the first bytes of a body of any type; `nil` if it is no text.
    func excerpt(of answer: Answer) -> String? {
        guard !answer.body.isEmpty else { return nil }
        return ErrorExcerpt(call.api.definition.redaction, secrets).text(
            of: answer.body, mediaType: answer.headers[first: "Content-Type"])
    }

    /// Returns why a body cannot be read, with its media type and its first bytes. In other formats
    /// than JSON, secrets cannot be told from other text, so nothing of the body is shown.
    func unreadable(
        _ reason: String, _ answer: Answer, by mapper: (any Mapper)? = nil
    ) -> String {
        if let mapper, !MediaType.reads(mapper, MediaType.json) { return reason }
        let type = answer.headers[first: "Content-Type"] ?? "no media type"
        let bytes = Array(answer.body.bytesAndNUL.dropLast().prefix(ErrorExcerpt.readBytesMax))
        return "\(reason) (\(type))" + excerpt(ofBroken: bytes)
    }

    /// Returns why the data of an event cannot be read, with its first bytes.
    func unreadable(
        _ reason: String, _ data: UnsafeRawBufferPointer, by mapper: any Mapper
    ) -> String {
        guard MediaType.reads(mapper, MediaType.json) else { return reason }
        return reason + excerpt(ofBroken: Array(data.prefix(ErrorExcerpt.readBytesMax)))
    }

    private func excerpt(ofBroken bytes: [UInt8]) -> String {
        ErrorExcerpt(call.api.definition.redaction, secrets).text(ofBroken: bytes)
            .map { ": \($0)" } ?? ""
    }

    /// The secrets that the request has sent.
    private var secrets: SentSecrets {
        let sent = call.state.withLock { $0.attempts.authorized }
        return SentSecrets(processor.request.exchange, sent: sent, call.api.definition.redaction)
    }

    /// Returns the body as JSON, even if it has another format.
    private func json(
        _ body: UnsafeRawBufferPointer, of answer: Answer
    ) -> JSONValue? {
        let type = answer.headers.joined("Content-Type")
        guard let mapper = processor.mapper(for: answer, looksLikeJSON: true),
            !MediaType.reads(mapper, "application/json"), !(type.map(MediaType.isJSON) ?? false)
        else {
            return APIError.json(body, contentType: answer.headers[first: "Content-Type"])
        }
        let limits = call.context.options.mappingLimits
        return JSONValue.read(body, by: mapper, limits)
    }
}

extension Failure {
    /// Adds what the body of its response says about the error, for an answer that was kept in a
    /// file. The body has to be JSON.
    package mutating func readAPIError(_ api: API) {
        guard let response else { return }
        let type = response.headers[first: "Content-Type"]
        let error = APIError(
            body: response.bodyForJSON, mediaType: type, api.definition.errors,
            read: { APIError.json($0, contentType: nil) })
        guard error.isFound else { return }
        apiCode = error.code
        apiMessage = error.message
        details = error.details
        domain = .api
    }
}

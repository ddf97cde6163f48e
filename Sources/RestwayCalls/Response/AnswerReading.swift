import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// Reads the bodies of successful answers with parsers that make no objects.
struct AnswerReading {
    let processor: ResponseProcessor

    private var request: PreparedRequest { processor.request }

    /// Returns the value that the parser of the request makes of the body.
    func value(of received: ReceivedResponse) throws(Failure) -> ParsedValue {
        switch request.answers.parser {
        case .objects: .objects
        case .json: try json(received)
        case .text: .text(Body(try text(received)))
        case .bytes: .bytes
        case .headers: .headers
        case .nothing: .nothing
        case .function(let name): .made(by: name, try askParser(name, received))
        }
    }

    private func json(_ received: ReceivedResponse) throws(Failure) -> ParsedValue {
        guard !received.body.isEmpty else { return .json(isEmpty: true) }
        let body = received.body.forJSON(contentType: received.headers[first: "Content-Type"])
        let read: Result<Void, JSONError> = body.withBytes { bytes in
            Result { () throws(JSONError) in _ = try JSONValue.parse(bytes, .anyJSON) }
        }
        if case .failure(let error) = read {
            throw unreadable(AnswerErrors(processor).unreadable(error.message, received), received)
        }
        return .json(isEmpty: false)
    }

    private func text(_ received: ReceivedResponse) throws(Failure) -> [UInt8] {
        let type = received.headers[first: "Content-Type"] ?? ""
        let read: Result<[UInt8], UnknownCharset> = received.body.withBytes { bytes in
            Result { () throws(UnknownCharset) in try BodyText.utf8(bytes, contentType: type) }
        }
        switch read {
        case .success(let text): return text
        case .failure(let error):
            var failure = unreadable("the charset \"\(error.name)\" is not known", received)
            failure.field = "Content-Type"
            throw failure
        }
    }

    private func askParser(_ name: String, _ received: ReceivedResponse) throws(Failure) -> Value {
        guard let parser = processor.call.api.definition.functions.parsers[name] else {
            throw Failure(.internal, "parser \"\(name)\" has gone")
        }
        do throws(Failure) {
            return try parser(
                received.body.bytesAndNUL, received.headers[first: "Content-Type"] ?? "")
        } catch {
            var failure = unreadable("parser \"\(name)\": \(error.message)", received)
            failure.reason = error.reason
            failure.cause = error.cause
            throw failure
        }
    }

    private func unreadable(_ why: String, _ received: ReceivedResponse) -> Failure {
        var failure = processor.unreadable(why, received)
        failure.domain = .parsing
        return failure
    }
}

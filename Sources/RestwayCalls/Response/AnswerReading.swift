import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// Reads the bodies of successful answers with parsers that make no objects.
struct AnswerReading {
    let processor: ResponseProcessor

    private var request: PreparedRequest { processor.request }

    /// Returns the value that the parser of the request makes of the body.
    func value(of answer: Answer) throws(Failure) -> ParsedValue {
        switch request.answers.parser {
        case .objects: .objects
        case .json: try json(answer)
        case .text: .text(Body(try text(answer)))
        case .bytes: .bytes
        case .headers: .headers
        case .nothing: .nothing
        case .function(let name): .made(by: name, try askParser(name, answer))
        }
    }

    private func json(_ answer: Answer) throws(Failure) -> ParsedValue {
        guard !answer.body.isEmpty else { return .json(isEmpty: true) }
        let body = answer.body.forJSON(contentType: answer.headers[first: "Content-Type"])
        let read: Result<Void, JSONError> = body.withBytes { bytes in
            Result { () throws(JSONError) in _ = try JSONValue.parse(bytes, .anyJSON) }
        }
        if case .failure(let error) = read {
            throw unreadable(AnswerErrors(processor).unreadable(error.message, answer), answer)
        }
        return .json(isEmpty: false)
    }

    private func text(_ answer: Answer) throws(Failure) -> [UInt8] {
        let type = answer.headers[first: "Content-Type"] ?? ""
        let read: Result<[UInt8], UnknownCharset> = answer.body.withBytes { bytes in
            Result { () throws(UnknownCharset) in try BodyText.utf8(bytes, contentType: type) }
        }
        switch read {
        case .success(let text): return text
        case .failure(let error):
            var failure = unreadable("the charset \"\(error.name)\" is not known", answer)
            failure.field = "Content-Type"
            throw failure
        }
    }

    private func askParser(_ name: String, _ answer: Answer) throws(Failure) -> Value {
        guard let parser = processor.call.api.definition.functions.parsers[name] else {
            throw Failure(.internal, "parser \"\(name)\" has gone")
        }
        do throws(Failure) {
            return try parser(
                answer.body.bytesAndNUL, answer.headers[first: "Content-Type"] ?? "")
        } catch {
            var failure = unreadable("parser \"\(name)\": \(error.message)", answer)
            failure.reason = error.reason
            failure.cause = error.cause
            throw failure
        }
    }

    private func unreadable(_ why: String, _ answer: Answer) -> Failure {
        var failure = processor.unreadable(why, answer)
        failure.domain = .parsing
        return failure
    }
}

package import RestwayObjects
package import RestwayOutcome

/// Which answers to a request are accepted, and how their bodies are read.
///
/// It is a class because every request has such rules and most requests have the same ones.
package final class AnswerRules: Sendable {
    /// The media types that are asked for; empty for the types of the mappers.
    package let accepted: [String]
    package let validation: Validation
    package let parser: ParserChoice

    package init(
        accepted: [String] = [], validation: Validation = .usual, parser: ParserChoice = .objects
    ) {
        self.accepted = accepted
        self.validation = validation
        self.parser = parser
    }

    package static let usual = AnswerRules()
}

/// The conditions under which an answer is accepted.
package final class Validation: Sendable {
    /// The statuses that are a success; `nil` for 2xx.
    package let statuses: [ClosedRange<Int>]?
    /// The names of the headers that must be there.
    package let headers: [String]
    /// The media types that a body may have; empty for all.
    package let mediaTypes: [String]
    /// The name of the program's validator.
    package let function: String?

    package init(
        statuses: [ClosedRange<Int>]? = nil, headers: [String] = [], mediaTypes: [String] = [],
        function: String? = nil
    ) {
        self.statuses = statuses
        self.headers = headers
        self.mediaTypes = mediaTypes
        self.function = function
    }

    package static let usual = Validation()

    package var isUsual: Bool { statuses == nil && !checksAnswers }

    /// Whether it checks more than the status.
    package var checksAnswers: Bool {
        !headers.isEmpty || !mediaTypes.isEmpty || function != nil
    }

    package func isSuccess(_ status: Int) -> Bool {
        guard let statuses else { return (200..<300).contains(status) }
        return statuses.contains { $0.contains(status) }
    }
}

/// The parser of the bodies of successful answers.
package enum ParserChoice: Sendable, Equatable {
    /// A mapper makes objects of them.
    case objects
    case json
    case text
    case bytes
    /// The body is dropped; the headers are the result.
    case headers
    /// The body is dropped.
    case nothing
    /// A parser of the program.
    case function(String)

    /// The parsers that need no function of the program.
    package static let builtIn: [ParserChoice] = [
        .objects, .json, .text, .bytes, .headers, .nothing,
    ]

    package init(name: String) {
        self = Self.builtIn.first { $0.name == name } ?? .function(name)
    }

    package var name: String {
        switch self {
        case .objects: "objects"
        case .json: "json"
        case .text: "text"
        case .bytes: "bytes"
        case .headers: "headers"
        case .nothing: "nothing"
        case .function(let name): name
        }
    }

    /// Whether the body is of no use.
    package var dropsBody: Bool { self == .headers || self == .nothing }
}

/// A function of the program that throws if it refuses an answer. It is a question.
package typealias Validator = @Sendable (Response) throws(Failure) -> Void

/// A function of the program that makes a value of a body with a media type. It is a question.
package typealias BodyParser = @Sendable ([UInt8], String) throws(Failure) -> Value

/// A function of the program that writes a body whose value is given as JSON text, followed by a
/// NUL. It is a question.
package typealias BodyEncoder = @Sendable ([UInt8]) throws(Failure) -> EncodedBody

/// A body that a function of the program has written.
package struct EncodedBody: Sendable {
    package let bytes: [UInt8]
    /// `nil` if the function has not set it.
    package let mediaType: String?

    package init(bytes: [UInt8], mediaType: String?) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}

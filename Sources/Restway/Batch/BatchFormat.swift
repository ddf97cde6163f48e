public import FoundationEssentials
import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome

/// One request of a batch, as it is written into the body of the batch call.
public struct BatchRequest: Sendable {
    /// The method of the request.
    public let method: Method
    /// The URI below the base URL, with a leading slash and its query.
    public let uri: String
    /// The headers of the request itself. The headers of the batch call apply to all
    /// requests.
    public let headers: Headers
    /// The body; `nil` for a request without a body.
    public let body: Data?
}

/// The answer of a server to one request of a batch.
public struct BatchAnswer: Sendable {
    /// The status, 200 to 599; 0 if the server has not answered the request.
    public var status: Int
    /// The header fields of this answer.
    public var headers: Headers
    /// The body; empty for an answer without a body.
    public var body: Data

    /// The place of an answer that the server has not given, for example because it had no time for
    /// the request. That request fails alone, with the kind `batch`.
    public static let missing = BatchAnswer(status: 0)

    /// Makes the answer to one request; the status must be 200 to 599.
    public init(status: Int, headers: Headers = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How requests are put into one body, and answers are read from one. The functions are called on a
/// worker of the library, for several calls at the same time.
public protocol BatchFormat: Sendable {
    /// Writes the body of the call that carries the requests. There is at least one request.
    func body(of requests: [BatchRequest]) throws -> RequestBody

    /// Reads the answers to `count` requests, by their position, from a body that came with a 2xx
    /// status.
    func answers(in body: Data, mediaType: String?, count: Int) throws -> [BatchAnswer]
}

extension Calls {
    /// Sets the format of batches; `nil` sets the built-in one.
    public func setBatchFormat(_ format: (any BatchFormat)?) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.batches.setFormat(format.map(ProgramBatchFormat.init))
        }
    }
}

/// A format of the program, as the core calls it.
private struct ProgramBatchFormat: RestwayBatch.BatchFormat {
    let format: any Restway.BatchFormat

    var takesBinaryBodies: Bool { true }

    func encode(_ items: [RestwayCalls.BatchItem]) throws(BatchError) -> BatchBody {
        let requests = items.map { item in
            BatchRequest(
                method: Method(rawValue: item.method), uri: item.uri,
                headers: Headers(RestwayHTTP.Headers(item.headers)),
                body: item.body.map { Data($0) })
        }
        do {
            let body = try format.body(of: requests).written
            return BatchBody(body.bytes, mediaType: body.mediaType)
        } catch {
            throw BatchError(thrown: error)
        }
    }

    func decode(
        _ body: BatchBody, count: Int
    ) throws(BatchError) -> [Result<RestwayCalls.BatchAnswer, BatchError>] {
        do {
            return try format.answers(
                in: Data(body.bytes), mediaType: body.mediaType, count: count
            ).enumerated().map { index, answer in
                guard answer.status != 0 else {
                    let text = "the server has not answered request \(index)"
                    return .failure(BatchError(text, isMissing: true))
                }
                // A field that no header can have is left out: the answer counts without it.
                let fields = answer.headers.core.fields.compactMap {
                    HeaderField(received: $0.name, $0.value)
                }
                return .success(
                    RestwayCalls.BatchAnswer(
                        code: answer.status, headers: fields, body: Array(answer.body)))
            }
        } catch {
            throw BatchError(thrown: error)
        }
    }
}

extension BatchError {
    fileprivate init(thrown error: any Error) {
        self.init(
            "the batch format has failed: \((error as? RestwayError)?.message ?? "\(error)")",
            cause: ProgramError(error))
    }
}

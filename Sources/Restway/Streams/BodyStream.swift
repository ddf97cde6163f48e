public import FoundationEssentials
import RestwayBodies
import RestwayOutcome
import RestwayRequests

/// The body of an answer while it arrives, in pieces of any size.
///
///     let stream = try await client.stream("reports/7")
///     print(stream.response.status, stream.response.headers["Content-Type"] ?? "")
///     for try await piece in stream { digest.update(piece) }
///
/// One loop reads the pieces. When it ends, or its task is cancelled, the call is cancelled. The
/// server waits while about 2 MiB wait for the loop.
public struct BodyStream: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = RestwayError

    let call: StreamCall<Data>

    fileprivate init(_ call: StreamCall<Data>) {
        self.call = call
    }

    /// The answer without its body.
    public var response: Response { call.response }

    /// The header fields after the body; empty before the last piece was read.
    public var trailers: Headers { call.end?.trailers ?? [:] }

    public func makeAsyncIterator() -> Iterator { Iterator(loop: StreamLoop(call)) }

    /// Waits for one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let loop: StreamLoop<Data>

        public mutating func next() async throws(RestwayError) -> Data? { try await loop.next() }
    }
}

extension Client {
    /// Sends a request, and returns the body of its answer as a stream when the answer has begun.
    /// The body is not mapped.
    ///
    /// The time limit of the request holds until the last piece has arrived; `timeout` of `.zero`
    /// sets no limit.
    ///
    /// - Throws: A `RestwayError` as `send` does. Only an answer with the status 2xx is a stream.
    public func stream(_ request: Request) async throws(RestwayError) -> BodyStream {
        BodyStream(
            try await StreamCall(self, request) { queue in
                .receiver(
                    BodyReceiver(
                        receiveHead: { head in
                            queue.begin(head)
                            return .success(())
                        },
                        receive: { bytes in
                            .success(queue.add(Data(bytes), size: bytes.count))
                        }))
            })
    }

    /// Gets a path or a route, and returns the body of the answer as a stream.
    public func stream(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> BodyStream {
        try await stream(Request(.get, target, variables, parameters, headers, nil))
    }
}

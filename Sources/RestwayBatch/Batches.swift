package import RestwayCalls
import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads

/// The batches of one client, and the format in which they are written.
package final class Batches: Sendable {
    private struct State {
        var format: (any BatchFormat)?
        var isClosed = false
    }

    package let context: CallContext
    private let state = Lock(State())

    package init(_ context: CallContext) {
        self.context = context
    }

    package var format: any BatchFormat { state.withLock { $0.format } ?? JSONBatchFormat() }

    /// Sets the format of batches; `nil` for the built-in format.
    package func setFormat(_ format: (any BatchFormat)?) throws(Failure) {
        try context.refuseAfterFork()
        // The previous format may end here, which may run a destroy function of the program.
        var before = format
        let isClosed = state.withLock { state in
            if !state.isClosed { swap(&before, &state.format) }
            return state.isClosed
        }
        if isClosed { throw Failure.closed }
    }

    /// Drops the format of the program, because the client is closed.
    package func close() {
        // The format ends outside the lock.
        var before: (any BatchFormat)?
        state.withLock { state in
            state.isClosed = true
            swap(&before, &state.format)
        }
    }

    /// Turns a request into an item of a batch, or throws if it cannot be one.
    package func item(_ request: PreparedRequest) throws(Failure) -> BatchItem {
        let exchange = request.exchange
        guard let uri = context.environment.baseURL.uri(of: exchange.url) else {
            throw Failure(
                .invalidURL,
                "\(URLText.withoutQuery(exchange.url)) is not below the base URL: a batch cannot "
                    + "hold it")
        }
        var item = BatchItem(method: exchange.method, uri: uri, headers: exchange.headers)
        switch (request.reader, exchange.body) {
        case (nil, .none):
            break
        case (nil, .bytes(let bytes)):
            guard format.takesBinaryBodies || String(validating: bytes, as: UTF8.self) != nil
            else {
                throw Failure(
                    .invalidArgument,
                    "a batch holds bodies as text, and this body is not valid UTF-8", field: "body")
            }
            item.body = bytes
        default:
            throw Failure(
                .invalidArgument, "a body that a reader gives cannot be part of a batch",
                field: "body")
        }
        return item
    }
}

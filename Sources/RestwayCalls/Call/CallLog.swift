import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// Writes the log of one call. Every line starts with the number of the call and holds no secrets.
struct CallLog: Sendable {
    let id: UInt64
    /// The method and URL of the first request.
    let method: Method
    let url: String
    let redaction: Redaction

    /// Logs where a request goes and how its path was found.
    func isRouted(_ request: PreparedRequest) {
        Log.shared.write(
            .debug, .routing,
            "#\(id) \(request.method.rawValue) \(request.path.map(redaction.url) ?? "elsewhere"), "
                + (request.route.map { "by route (\($0.key))" } ?? "by its path"))
    }

    /// Logs the start of an exchange.
    func sends(_ exchange: Exchange) {
        Log.shared.write(
            .debug, .transport, "#\(id) > \(exchange.method) \(redaction.url(exchange.url))",
            details: lines(exchange.headers))
    }

    /// Logs the head of a response.
    func receives(_ head: ResponseHead) {
        Log.shared.write(
            .debug, .transport, "#\(id) < \(head.status)", details: lines(head.headers.fields))
    }

    func isRedirected(to url: String) {
        Log.shared.write(.debug, .client, "#\(id) is redirected to \(redaction.url(url))")
    }

    func isRetried(_ failure: Failure, afterMilliseconds milliseconds: Int64) {
        Log.shared.write(
            .info, .client, "#\(id) \(failure.message); tried again in \(milliseconds) ms")
    }

    func isNotRetried(_ reason: RetryDecision.Reason) {
        Log.shared.write(.debug, .client, "#\(id) is not tried again: \(reason.rawValue)")
    }

    func maps(_ mapped: MappedObjects) {
        guard let issue = mapped.issues.first else { return }
        Log.shared.write(
            .warning, .mapping,
            "#\(id) \(mapped.issueCount) values do not fit; \(issue.keyPath): \(issue.reason)")
    }

    func stores(_ insertedCount: Int, _ updatedCount: Int) {
        Log.shared.write(
            .debug, .store, "#\(id) \(insertedCount) objects inserted, \(updatedCount) updated")
    }

    func completes(
        _ outcome: Call.Outcome,
        milliseconds: @autoclosure () -> Int64
    ) {
        switch outcome {
        case .success(let response):
            Log.shared.write(
                .info, .client,
                "#\(id) \(method.rawValue) \(redaction.url(url)): "
                    + "\(response.status), "
                    + "\(response.bodyCount) bytes, \(response.objects.count) objects, "
                    + "\(milliseconds()) ms")
        case .failure(let failure):
            // A call that the program itself ended is no error.
            let isWanted = failure.reason == .cancelled || failure.reason == .closed
            Log.shared.write(
                isWanted ? .info : .error, .client,
                "#\(id) \(failure.message) (\(milliseconds()) ms)")
        }
    }

    private func lines(_ fields: [HeaderField]) -> [String] {
        fields.map { "\($0.name): \(redaction.header($0))" }
    }
}

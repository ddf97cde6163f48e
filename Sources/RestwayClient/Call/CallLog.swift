import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayRouting
import RestwaySupport

/// What one call says in the log: every line starts with its number, no line holds a secret.
struct CallLog: Sendable {
    let id: UInt64
    let redaction: Redaction

    /// Where a request goes, and how that was found.
    func isRouted(_ request: PreparedRequest) {
        Log.shared.write(
            .debug, .routing,
            "#\(id) \(request.method.rawValue) \(request.path.map(redaction.url) ?? "elsewhere"), "
                + (request.routeName.map { "by route (\($0))" } ?? "by its path"))
    }

    /// An exchange goes out.
    func sends(_ exchange: Exchange) {
        Log.shared.write(.debug, .transport, request(exchange))
    }

    /// A head came in.
    func receives(_ head: ResponseHead) {
        Log.shared.write(.debug, .transport, response(head))
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
        _ request: PreparedRequest, _ outcome: Call.Outcome,
        milliseconds: @autoclosure () -> Int64
    ) {
        switch outcome {
        case .success(let response):
            Log.shared.write(
                .info, .client,
                "#\(id) \(request.exchange.method) \(redaction.url(request.exchange.url)): "
                    + "\(response.status), "
                    + "\(response.bodyCount) bytes, \(response.objects.count) objects, "
                    + "\(milliseconds()) ms")
        case .failure(let failure):
            // Ends that the program itself wanted are no errors.
            let isWanted = failure.reason == .cancelled || failure.reason == .closed
            Log.shared.write(
                isWanted ? .info : .error, .client,
                "#\(id) \(failure.message) (\(milliseconds()) ms)")
        }
    }

    private func request(_ exchange: Exchange) -> String {
        "#\(id) > \(exchange.method) \(redaction.url(exchange.url))" + lines(exchange.headers)
    }

    private func response(_ head: ResponseHead) -> String {
        "#\(id) < \(head.status)" + lines(head.headers.fields)
    }

    private func lines(_ fields: [HeaderField]) -> String {
        fields.map { "\n    \($0.name): \(redaction.header($0))" }.joined()
    }
}

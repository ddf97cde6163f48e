import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads

/// Writes the log of one call. Every line starts with the number of the call and holds no secrets.
struct CallLog: Sendable {
    let id: UInt64
    /// The method and URL of the first request.
    let method: Method
    let url: String
    let redaction: Redaction

    /// Logs where a request goes and how its path was found.
    func noteRoute(_ request: PreparedRequest) {
        let (path, route) = (request.destination.path, request.destination.route)
        write(
            .debug, .routing,
            "\(method.rawValue) \(path.map(redaction.url) ?? "elsewhere"), "
                + (route.map { "by route (\($0.key))" } ?? "by its path"))
    }

    /// Logs the start of an exchange.
    ///
    /// - Parameter attempt: The number of the attempt, from 1.
    func sends(_ exchange: Exchange, attempt: @autoclosure () -> Int) {
        write(
            .debug, .transport, "> \(exchange.method) \(redaction.url(exchange.url))",
            exchange.headers, fields { $0.attempt = attempt() })
    }

    /// Logs the head of a response.
    func receives(_ head: ResponseHead) {
        write(
            .debug, .transport, "< \(head.status)", head.headers.fields,
            fields { $0.status = head.status })
    }

    /// Logs that the cache has the answer.
    func noteCacheHit(_ note: CacheNote) {
        write(
            .debug, .cache,
            note.state == .shared
                ? "has the answer to an equal request"
                : "is answered by the cache, \(note.ageSeconds) s old")
    }

    func waitsForEqual() {
        write(.debug, .cache, "waits for the answer to an equal request")
    }

    func noteRefresh(by id: UInt64) {
        write(.debug, .cache, "has a stale answer; #\(id) asks for a newer one")
    }

    func noteRedirect(to url: String) {
        write(.debug, .client, "is redirected to \(redaction.url(url))")
    }

    func noteRetry(_ failure: Failure, afterMilliseconds milliseconds: Int64) {
        write(
            .info, .retry, "\(failure.message); tried again in \(milliseconds) ms", [],
            fields { $0.status = failure.httpStatus })
    }

    func noteNoRetry(_ reason: RetryDecision.Reason) {
        write(.debug, .retry, "is not tried again: \(reason.rawValue)")
    }

    func maps(_ mapped: MappedAnswer) {
        misfits(mapped.issues, mapped.issueCount)
    }

    func maps(_ events: MappingResult) {
        misfits(events.issues, events.issueCount)
    }

    private func misfits(_ issues: [MappingIssue], _ count: Int) {
        guard let issue = issues.first else { return }
        write(
            .warning, .mapping, "\(count) values do not fit; \(issue.keyPath): \(issue.reason)")
    }

    func noteReopening(afterMilliseconds milliseconds: Int64) {
        write(
            .info, .client, "the event stream has ended; opened again in \(milliseconds) ms")
    }

    func stores(_ commit: Commit) {
        write(
            .debug, .store,
            "\(commit.insertedCount) objects inserted, \(commit.updatedCount) updated")
    }

    func completes(_ outcome: Call.Outcome, milliseconds: @autoclosure () -> Int64) {
        switch outcome {
        case .success(let response):
            write(
                .info, .client,
                "\(method.rawValue) \(redaction.url(url)): \(response.status), "
                    + "\(response.bodyCount) bytes, \(response.objects.count) objects, "
                    + "\(milliseconds()) ms",
                [],
                fields {
                    $0.status = response.status
                    $0.milliseconds = milliseconds()
                })
        case .failure(let failure):
            // The program gets the failure and decides what it means. The outbox logs what becomes
            // of its items.
            write(
                .info, .client, "\(failure.message) (\(milliseconds()) ms)", [],
                fields {
                    $0.status = failure.httpStatus
                    $0.milliseconds = milliseconds()
                })
        }
    }

    /// The fields of a record about this call.
    private func fields(_ add: (inout LogFields) -> Void) -> LogFields {
        var fields = LogFields(
            call: id, method: method.rawValue, url: redaction.url(URLText.withoutQuery(url)))
        add(&fields)
        return fields
    }

    /// Writes a line, and the header fields below it.
    private func write(
        _ level: LogLevel, _ target: LogTarget, _ text: @autoclosure () -> String,
        _ headers: @autoclosure () -> [HeaderField] = [],
        _ own: @autoclosure () -> LogFields? = nil
    ) {
        Log.shared.write(
            level, target, "#\(id) \(text())", own() ?? fields { _ in },
            details: headers().map { "\($0.name): \(redaction.header($0))" })
    }
}

import RestwayBodies
import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
package import RestwayRouting
import RestwayText
import RestwayThreads

/// The resumable upload of one call. `UploadMachine` decides which request comes next; the session
/// makes these requests from the request of the caller, and keeps the upload's URL in a file.
///
/// Its functions read and write files, so no thread of a transport calls them.
package final class UploadSession: Sendable {
    /// The upload after its first step.
    private struct Begun {
        var machine: UploadMachine
        /// The request of the caller, without this session, which would keep itself alive.
        let original: PreparedRequest
        let extent: ResourceExtent
        let length: Int64
        let file: UploadStateFile?
        /// Whether pieces are announced with `Expect: 100-continue`.
        var isAnnounced: Bool
    }

    private let plan: UploadPlan
    private let resumption: UploadProtocol
    private let resource: Resource
    private let begun = Lock<Begun?>(nil)

    init(_ plan: UploadPlan, _ resumption: UploadProtocol, _ resource: Resource) {
        self.plan = plan
        self.resumption = resumption
        self.resource = resource
    }

    /// Returns the next request of the upload.
    ///
    /// - Parameters:
    ///   - request: The caller's request, or a request of this upload.
    ///   - rules: Say what the requests to the URL of the upload may carry, which the server has
    ///     named as it names the target of a redirect.
    ///   - environment: Says which URLs may receive the credential.
    package func nextRequest(
        after request: PreparedRequest, _ rules: RedirectRules, _ environment: Environment
    ) throws(Failure) -> PreparedRequest {
        try begun.withLock { state throws(Failure) in
            var begun = if let state { state } else { try begin(request) }
            let step = begun.machine.next()
            state = begun
            return try self.request(for: step, after: request, begun, rules, environment)
        }
    }

    /// Takes the answer to the last request.
    package func answered(_ head: ResponseHead) throws(Failure) -> UploadMachine.Decision {
        try begun.withLock { state throws(Failure) in
            guard var begun = state else { return .judge }
            let location = head.headers[first: "Location"].flatMap {
                try? URLText.resolve($0, against: head.url)
            }
            let before = begun.machine.url
            let decision = begun.machine.answered(UploadAnswer(head, location: location))
            state = begun
            switch decision {
            case .done, .giveUp:
                begun.file?.remove()
            case .goOn:
                if let url = begun.machine.url, url != before { try begun.file?.write(url) }
            case .judge, .fail:
                break
            }
            return decision
        }
    }

    /// The server does not want pieces to be announced.
    package func announceNoMore() {
        begun.withLock { $0?.isAnnounced = false }
    }

    // MARK: Steps

    private func begin(_ request: PreparedRequest) throws(Failure) -> Begun {
        let extent: ResourceExtent
        let fingerprint: String?
        // Only a state file needs the fingerprint, for which all bytes in memory are read.
        let isCompared = plan.statePath != nil && !plan.isTerminated
        do throws(ResourceError) {
            extent = try resource.extent()
            fingerprint = isCompared ? try resource.fingerprint(extent) : nil
        } catch {
            throw Failure(error)
        }
        let file = try plan.statePath.map { path throws(Failure) in
            try UploadStateFile(
                path: path,
                of: [resumption.rawValue, request.exchange.method, request.exchange.url],
                source: fingerprint)
        }
        let url = try file?.read()
        if plan.isTerminated, url == nil {
            let path = plan.statePath ?? ""
            throw Failure(
                .invalidArgument, "the state file \"\(path)\" names no upload of this request",
                field: "state_path")
        }
        let length = extent.length ?? 0
        return Begun(
            machine: UploadMachine(plan, resumption, length: length, url: url),
            original: request.withoutUpload(), extent: extent, length: length, file: file,
            isAnnounced: request.exchange.expectsContinue)
    }

    private func request(
        for step: UploadMachine.Step, after last: PreparedRequest, _ begun: Begun,
        _ rules: RedirectRules, _ environment: Environment
    ) throws(Failure) -> PreparedRequest {
        let original = begun.original
        var exchange = original.exchange
        let own = resumption.headers(
            step, length: begun.length, metadata: UploadProtocol.metadata(of: resource))
        guard step != .create, let url = begun.machine.url else {
            exchange.body = .bytes([])
            exchange.headers.removeAll { $0.isNamed("Expect") }
            for field in own where !exchange.headers.contains(where: { $0.isNamed(field.name) }) {
                exchange.headers.set(field.name, field.value)
            }
            return original.part(of: self, exchange, isTrusted: original.sending.isTrusted)
        }
        let isSameOrigin = (try? Origin(url: url)) == (try? Origin(url: exchange.url))
        let isTrusted = isSameOrigin ? original.sending.isTrusted : environment.trusts(url: url)
        let mayKnow = isSameOrigin || isTrusted
        exchange.url = url
        exchange.body = .none
        exchange.headers = rules.headers(
            exchange.headers, keepsBody: false, isTrusted: mayKnow)
        // A server would give the same answer to all requests with the same key.
        exchange.headers.removeAll {
            $0.isNamed(IdempotencyKey.headerName) || $0.isNamed("Upload-Metadata")
        }
        for field in own { exchange.headers.set(field.name, field.value) }
        switch step {
        case .create, .askOffset:
            exchange.method = "HEAD"
        case .terminate:
            exchange.method = "DELETE"
        case .send(let range):
            guard rules.mayCarryBody(isTrusted: mayKnow) else {
                throw Failure(
                    .protocolViolation,
                    "the server has created the upload at another origin, which may not receive "
                        + "the body (trustedOrigins or redirectBodies allow that)")
            }
            exchange.method = "PATCH"
            if range.isEmpty { exchange.body = .bytes([]) }
            if begun.isAnnounced, !range.isEmpty {
                exchange.headers.set("Expect", "100-continue")
            }
            let piece = ResourceReader(
                resource, begun.extent, isExact: true, from: range.lowerBound,
                to: range.upperBound)
            return original.part(
                of: self, exchange, reader: range.isEmpty ? nil : BodyParts(piece).reader(),
                isTrusted: isTrusted, uploadedBefore: range.lowerBound)
        }
        // The progress does not go back while the server is asked.
        return original.part(
            of: self, exchange, isTrusted: isTrusted,
            uploadedBefore: last.sending.uploadedBefore)
    }
}

package import RestwayDocument
package import RestwayHTTP
import RestwayMapping
import RestwayOutcome
import RestwayPlugins
package import RestwayRouting
import RestwayText

// The headers of a request. They are a part of its content.
extension RequestPreparation {
    /// Returns the headers of a request. Each of these levels replaces fields of the levels before
    /// it: the environment and the document, the client, the route, the body, and the caller.
    package func headers(
        _ spec: RequestSpec, _ settings: RouteSettings, isTrusted: Bool,
        of content: RequestContent = RequestContent(), acceptsAnything: Bool = false
    ) -> [HeaderField] {
        var headers = Headers()
        if !spec.isInBatch {
            let standard = standardHeaders(settings, content.bodyDestination, acceptsAnything)
            headers = isTrusted ? standard.own : standard.foreign
        }
        // Ranges count coded bytes, so a coded body could not be resumed. The codings that the
        // document or the caller asks for are sent unchanged.
        if !content.bodyDestination.isMemory,
            headers[first: "Accept-Encoding"] == ContentDecoder.accepted
        {
            headers.set("Accept-Encoding", "identity")
        }
        spec.addClientHeaders(to: &headers, isTrusted: isTrusted)
        for line in settings.headers { headers.set(line.name, line.value) }
        if let mediaType = content.mediaType { headers.set("Content-Type", mediaType) }
        for field in content.digests { headers.set(field.name, field.value) }
        let isAnnounced = spec.given.expectsContinue ?? settings.body.expectsContinue
        if isAnnounced, content.hasBody, !spec.isInBatch { headers.set("Expect", "100-continue") }
        for (name, value) in spec.headers {
            if let value { headers.set(name, value) } else { headers.remove(name) }
        }
        return headers.fields
    }

    /// Whether the answer may have any media type: the request has a route that maps nothing of its
    /// answers, and names no media types.
    func acceptsAnything(
        _ spec: RequestSpec, _ destination: RequestDestination, _ settings: RouteSettings
    ) -> Bool {
        guard destination.route != nil else { return false }
        let parser = spec.reception.parser.map(ParserChoice.init(name:))
        switch parser ?? settings.body.answers.parser {
        case .json: return false
        case .text, .bytes, .headers, .nothing: return true
        case .objects, .function: break
        }
        let choice = destination.descriptorChoice
        return !api.maps(destination.method, choice)
    }

    private func standardHeaders(
        _ settings: RouteSettings, _ destination: BodyDestination, _ acceptsAnything: Bool
    ) -> StandardHeaders {
        let accepted = settings.body.answers.accepted
        let ofDestination = destination.accepted
        if accepted.isEmpty, ofDestination == nil {
            if acceptsAnything { return context.headersOfAnything }
            if settings.dataMapper == nil { return context.standardHeaders }
        }
        return StandardHeaders(
            environment, userAgent: context.options.userAgent,
            accepted: accepted.isEmpty
                ? ofDestination ?? context.mappers.accepted(named: settings.dataMapper)
                : accepted.joined(separator: ", "))
    }
}

extension String {
    func isSameHeader(as name: String) -> Bool {
        HeaderField(name: self, value: "").isNamed(name)
    }
}

/// The headers of every request of a client, before its route and its caller add theirs.
///
/// They are made once for answers of the usual type. Most requests have no other headers, and
/// transports can see that the headers are the same.
package struct StandardHeaders: Sendable {
    /// The headers for URLs that may receive the environment's headers.
    package let own: Headers
    package let foreign: Headers

    /// - Parameter accepted: The media types that the answer should have.
    package init(_ environment: Environment, userAgent: String, accepted: String) {
        var headers = Headers()
        headers.set("Accept", accepted)
        headers.set("Accept-Encoding", ContentDecoder.accepted)
        headers.set("User-Agent", userAgent)
        foreign = headers
        for line in environment.headers {
            headers.set(line.name, line.value)
        }
        own = headers
    }
}

extension [HeaderField] {
    package mutating func set(_ name: String, _ value: String) {
        var headers = Headers(self)
        // The array is not copied if nothing else refers to it.
        self = []
        headers.set(name, value)
        self = headers.fields
    }
}

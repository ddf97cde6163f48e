import RestwayDocument
package import RestwayHTTP
import RestwayRequests
import RestwayText

/// Everything of a kept answer but its body. It never changes.
///
/// It is a class because it has many fields, and the decisions pass it on often.
package final class StoredHead: Sendable {
    package let status: Int
    /// 10, 11, 20 or 30.
    package let httpVersion: Int
    /// The header fields that may be kept (RFC 9111, section 3.1).
    package let headers: Headers
    /// The URL that answered.
    package let url: String
    /// When the request was sent and when its answer arrived, in microseconds since 1970.
    package let requestTime: Int64
    package let responseTime: Int64
    /// The request's values of the header fields that `Vary` names, normalised.
    package let selecting: [HeaderField]
    /// The lifetime that the document gives, in seconds; `nil` if the headers decide.
    package let documentLifetime: Int64?
    /// Whether the entry was made invalid and must be validated before it is used.
    package let isInvalid: Bool
    /// The place of the body in the whole representation, for an incomplete answer; `nil` for a
    /// whole one.
    package let range: StoredRange?
    /// The number of bytes of the body; `nil` for an answer to HEAD, which answers no GET.
    package let bodyLength: Int64?
    /// The header fields that decide about reuse.
    let statements: Statements

    /// Whether `Vary` names the cookies.
    var variesWithCookies: Bool { statements.varyingNames.contains(Selecting.cookie) }

    /// Makes the head of an entry from the fields that were kept.
    ///
    /// - Parameters:
    ///   - directives: The directives of `Cache-Control`, if they were read before.
    ///   - arrival: The values of `Date` and `Age`, if they were read before.
    init(
        status: Int, httpVersion: Int, headers: Headers, url: String, requestTime: Int64,
        responseTime: Int64, selecting: [HeaderField] = [], documentLifetime: Int64? = nil,
        isInvalid: Bool = false, range: StoredRange? = nil, bodyLength: Int64?,
        directives: CacheControl? = nil, arrival: Arrival? = nil
    ) {
        self.status = status
        self.httpVersion = httpVersion
        self.headers = headers
        self.url = url
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selecting = selecting
        self.documentLifetime = documentLifetime
        self.isInvalid = isInvalid
        self.range = range
        self.bodyLength = bodyLength
        statements = Statements(
            headers, directives ?? CacheControl(headers), status: status,
            arrival ?? Arrival(headers, requestTime: requestTime, responseTime: responseTime))
    }
}

extension StoredHead: Equatable {
    /// The statements follow from the other fields.
    package static func == (left: StoredHead, right: StoredHead) -> Bool {
        left.status == right.status && left.httpVersion == right.httpVersion
            && left.headers == right.headers && left.url == right.url
            && left.requestTime == right.requestTime && left.responseTime == right.responseTime
            && left.selecting == right.selecting && left.range == right.range
            && left.documentLifetime == right.documentLifetime
            && left.isInvalid == right.isInvalid && left.bodyLength == right.bodyLength
    }
}

/// The part of a representation that an entry holds (RFC 9110, section 14.4).
package struct StoredRange: Sendable, Equatable {
    package var first: Int64
    package var last: Int64
    package var completeLength: Int64?
    /// The value of `Range` that was answered with this part; `nil` if it was joined from several.
    package var asked: String?

    package init(first: Int64, last: Int64, completeLength: Int64?, asked: String? = nil) {
        self.first = first
        self.last = last
        self.completeLength = completeLength
        self.asked = asked
    }

    package var length: Int64 { last - first + 1 }

    /// The value of `Content-Range`.
    package var text: String {
        "bytes \(first)-\(last)/" + (completeLength.map { String($0) } ?? "*")
    }
}

extension StoredHead {
    /// Makes a head from the answer to a request, with only those header fields that may be kept.
    ///
    /// - Parameter bodyLength: The number of bytes of the body; it is ignored for HEAD.
    package convenience init(
        answering request: CacheRequest, status: Int, httpVersion: Int, headers: Headers,
        url: String, requestTime: Int64, responseTime: Int64, bodyLength: Int64
    ) {
        // The field is kept with the entry, so its directives hold for the entry, too.
        let directives = CacheControl(headers)
        var kept = Self.kept(headers, directives)
        if let names = request.redirects?.varyingNames, !names.isEmpty,
            status != 304 || headers[first: "Vary"] != nil
        {
            let own = [kept.joined("Vary")].compactMap(\.self)
            kept.set("Vary", (own + names).joined(separator: ", "))
        }
        let lifetime = request.rules.lifetimeSeconds
        let isGoverned = request.isAnswerable && (status == 200 || status == 304)
        self.init(
            status: status, httpVersion: httpVersion, headers: kept, url: url,
            requestTime: requestTime, responseTime: responseTime,
            selecting: Selecting.fields(kept, request),
            documentLifetime: isGoverned ? lifetime.flatMap { $0 > 0 ? $0 : nil } : nil,
            range: status == 206 ? Self.range(kept, request, bodyLength) : nil,
            bodyLength: request.method == "HEAD" ? nil : bodyLength, directives: directives)
    }

    /// The header fields that concern one connection (RFC 9110, section 7.6.1) or one proxy.
    private static let connectionNames: [String] = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Fields without which an answer cannot be understood or reused. If `no-cache` names one of
    /// them, it concerns the whole answer.
    private static func isEssential(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["cache-control", "date", "vary"].contains(name)
    }

    /// Leaves out the fields that must not be kept (RFC 9111, sections 3.1 and 5.2.2.4).
    private static func kept(_ headers: Headers, _ directives: CacheControl) -> Headers {
        var names = connectionNames
        if let connection = headers.joined("Connection") { names += FieldList.names(connection) }
        let unvalidated = directives.unvalidatedNames
        if !unvalidated.contains(where: isEssential) { names += unvalidated }
        return headers.without(names)
    }

    /// The part that a 206 answer brings; `nil` if it cannot be kept. A body that is shorter than
    /// its range is the beginning of the range.
    private static func range(
        _ headers: Headers, _ request: CacheRequest, _ bodyLength: Int64
    ) -> StoredRange? {
        guard let stated = ContentRange(headers), bodyLength > 0,
            bodyLength <= stated.last - stated.first + 1,
            headers[first: "Content-Encoding"] == nil
        else { return nil }
        return StoredRange(
            first: stated.first, last: stated.first + bodyLength - 1,
            completeLength: stated.total, asked: request.headers[first: "Range"])
    }

    /// Returns the head with the header fields of a newer answer that confirms it: a 304, or an
    /// answer to HEAD (RFC 9111, section 3.2).
    ///
    /// - Parameter isInvalid: Whether the entry must be validated before it is used.
    func freshened(by answer: StoredHead, isInvalid: Bool = false) -> StoredHead {
        replacing(
            headers: Self.merged(headers, with: answer.headers), by: answer, range: range,
            status: status, bodyLength: bodyLength, isInvalid: isInvalid)
    }

    /// Returns the head of a part that a newer part has joined (RFC 9111, section 3.4).
    func combined(with answer: StoredHead, _ joined: StoredRange) -> StoredHead {
        let isWhole = joined.first == 0 && joined.length == joined.completeLength
        var headers = Self.merged(headers, with: answer.headers)
        headers.set("Content-Length", String(joined.length))
        if isWhole {
            headers.remove("Content-Range")
        } else {
            headers.set("Content-Range", joined.text)
        }
        return replacing(
            headers: headers, by: answer, range: isWhole ? nil : joined,
            status: isWhole ? 200 : 206, bodyLength: joined.length)
    }

    private func replacing(
        headers: Headers, by answer: StoredHead, range: StoredRange?, status: Int,
        bodyLength: Int64?, isInvalid: Bool = false
    ) -> StoredHead {
        let isRestated = answer.headers[first: "Cache-Control"] != nil
        return StoredHead(
            status: status, httpVersion: httpVersion, headers: headers, url: url,
            requestTime: answer.requestTime, responseTime: answer.responseTime,
            selecting: answer.headers[first: "Vary"] == nil ? selecting : answer.selecting,
            documentLifetime: status == 200 ? answer.documentLifetime : nil,
            isInvalid: isInvalid, range: range, bodyLength: bodyLength,
            directives: (isRestated ? answer : self).statements.directives,
            arrival: answer.statements.arrival)
    }

    /// The header fields that describe the kept body.
    private static let bodyNames: [String] = [
        "content-length", "content-encoding", "content-type", "content-range",
    ]

    /// Replaces fields by those of a newer answer. The fields that describe the kept body stay as
    /// they are. `Age` and `Date` of an older answer say nothing about the newer one.
    private static func merged(_ old: Headers, with new: Headers) -> Headers {
        let newer = new.without(bodyNames)
        var merged = old.without(["Age", "Date"] + newer.fields.map(\.name))
        merged.fields += newer.fields
        return merged
    }
}

extension StoredHead {
    /// The status of an answer from this entry.
    package func servedStatus(part: StoredRange?) -> Int { part == nil ? status : 206 }

    /// The header fields of an answer from this entry, with its age and the cache's own line.
    package func served(_ age: EntryAge, _ note: CacheStatus, part: StoredRange?) -> Headers {
        var headers = headers
        headers.set("Age", String(age.age))
        if let part {
            headers.set("Content-Range", part.text)
            headers.set("Content-Length", String(part.length))
        }
        note.add(to: &headers)
        return headers
    }
}

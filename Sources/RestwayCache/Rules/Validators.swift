package import RestwayHTTP
import RestwayText

/// Entity tags and their comparison (RFC 9110, section 8.8.3).
enum EntityTag {
    /// Whether two tags are equal if their weakness is left out.
    static func areWeaklyEqual(_ left: Substring, _ right: Substring) -> Bool {
        opaque(left).utf8.elementsEqual(opaque(right).utf8)
    }

    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
    }

    private static func opaque(_ tag: Substring) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
}

extension StoredHead {
    var entityTag: String? { headers[first: "ETag"] }

    /// The entity tag, if it is strong, so that it stands for exactly these bytes; `nil` without a
    /// strong tag.
    var strongTag: String? { entityTag.flatMap { EntityTag.isStrong($0) ? $0 : nil } }

    var hasValidator: Bool { entityTag != nil || headers[first: "Last-Modified"] != nil }

    /// The header fields that ask the server whether the entry still holds (RFC 9111, section
    /// 4.3.1); empty if it cannot be asked, or if the request has a condition of its own.
    package func conditions(for request: CacheRequest) -> [HeaderField] {
        guard request.isGetOrHead, range == nil, !request.hasOwnCondition,
            !request.hasConditionForServer, request.headers[first: "Range"] == nil
        else { return [] }
        var fields: [HeaderField] = []
        if let entityTag { fields.append(HeaderField(name: "If-None-Match", value: entityTag)) }
        if let modified = headers[first: "Last-Modified"] {
            fields.append(HeaderField(name: "If-Modified-Since", value: modified))
        }
        return fields
    }

    /// Whether the program has the body already, as the conditions of its request say (RFC 9111,
    /// section 4.3.2).
    func isKnown(to request: CacheRequest) -> Bool {
        guard request.isGetOrHead, status == 200 else { return false }
        if let tags = request.headers.joined("If-None-Match") {
            if tags == "*" { return true }
            guard let entityTag else { return false }
            return FieldList.members(tags).contains {
                EntityTag.areWeaklyEqual($0, entityTag[...])
            }
        }
        guard let since = request.headers[first: "If-Modified-Since"] else { return false }
        let now = responseTime / 1_000_000
        guard let limit = HTTPDate.seconds(since, now: now) else { return false }
        let modified = (headers[first: "Last-Modified"] ?? headers[first: "Date"])
            .flatMap { HTTPDate.seconds($0, now: now) }
        return (modified ?? now) <= limit
    }

    /// Whether a 304 confirms this entry (RFC 9111, section 4.3.4). `isAsked` says that the entry's
    /// validators were sent.
    func isConfirmed(by answer: StoredHead, isAsked: Bool) -> Bool {
        if let tag = answer.entityTag, let entityTag {
            return EntityTag.isStrong(tag)
                ? tag == entityTag : EntityTag.areWeaklyEqual(tag[...], entityTag[...])
        }
        guard isAsked else { return false }
        guard let modified = answer.headers[first: "Last-Modified"],
            let known = headers[first: "Last-Modified"]
        else { return true }
        return modified == known
    }

    /// Whether an answer to HEAD describes this entry (RFC 9111, section 4.3.5).
    func isDescribed(by answer: StoredHead) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Encoding"] {
            if let value = answer.headers[first: name], value != headers[first: name] {
                return false
            }
        }
        guard let length = answer.headers[first: "Content-Length"] else { return true }
        return length == headers[first: "Content-Length"] ?? bodyLength.map { String($0) }
    }

    /// Whether two parts are of exactly the same representation (RFC 9111, section 3.4).
    func isSameRepresentation(as other: StoredHead) -> Bool {
        strongTag != nil && strongTag == other.strongTag
    }
}

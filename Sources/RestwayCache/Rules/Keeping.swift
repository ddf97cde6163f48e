import RestwayDocument
import RestwayHTTP
import RestwayRequests
import RestwayRouting
import RestwayText

/// The decision of the cache about the answer of a server.
package enum Keeping: Sendable, Equatable {
    /// The answer becomes an entry, in place of the entries at these indexes.
    case keep(StoredHead, replacing: [Int])
    /// A 304 or an answer to HEAD: the entry at this index gets newer header fields.
    case freshen(Int, StoredHead)
    /// A part joins the part that the entry at this index has: the new body is the first
    /// `prefix` bytes of the kept one, and then all bytes of the answer.
    case combine(Int, StoredHead, prefix: Int64)
    /// The answer is not kept, and shows that the entry at this index no longer holds.
    case invalidate(Int)
    /// The answer is not kept.
    case pass

    /// - Parameters:
    ///   - answer: The answer, made with `StoredHead(answering:...)`.
    ///   - entries: The heads of the entries with the key of the request, the newest first.
    ///   - asked: The index of the entry whose validators were sent; `nil` if the cache has sent no
    ///     validators.
    package static func decide(
        _ request: CacheRequest, _ answer: StoredHead, _ entries: [StoredHead],
        asked: Int? = nil, usesHeuristics: Bool
    ) -> Keeping {
        if request.passesBy { return .pass }
        if answer.status == 304 { return confirmed(request, answer, entries, asked) }
        // A redirect is kept for its own URL, beside the answer to which it leads.
        if StatusCode.isRedirect(answer.status), request.isBehindRedirect { return .pass }
        let same = entries.indices.filter {
            entries[$0].matches(request) && mayReplace(entries[$0], answer, request)
        }
        if request.method == "HEAD", let index = same.first(where: { entries[$0].hasBody }) {
            return described(request, answer, entries[index], index)
        }
        if answer.status == 206, let decision = joined(request, answer, entries, same) {
            return decision
        }
        if answer.isKeepable(for: request, usesHeuristics: usesHeuristics) {
            return .keep(answer, replacing: same)
        }
        guard request.isAnswerable, StatusCode.tellsState(answer.status), answer.status != 206,
            let index = same.first
        else { return .pass }
        return .invalidate(index)
    }

    /// Whether an answer says something about an entry whose selecting fields are those of its
    /// request.
    private static func mayReplace(
        _ entry: StoredHead, _ answer: StoredHead, _ request: CacheRequest
    ) -> Bool {
        if request.isBehindRedirect { return entry.isBehindRedirect }
        return !entry.isBehindRedirect
            || request.method != "HEAD" && !StatusCode.isRedirect(answer.status)
    }

    private static func confirmed(
        _ request: CacheRequest, _ answer: StoredHead, _ entries: [StoredHead], _ asked: Int?
    ) -> Keeping {
        let index =
            asked.flatMap { entries[$0].isConfirmed(by: answer, isAsked: true) ? $0 : nil }
            ?? entries.firstIndex {
                $0.isOfURL(of: request) && $0.isConfirmed(by: answer, isAsked: false)
            }
        guard let index else { return .pass }
        // An answer that the server now forbids to keep is not used without another question.
        let isForbidden = answer.statements.directives.flags.contains(.noStore)
        return .freshen(index, entries[index].freshened(by: answer, isInvalid: isForbidden))
    }

    private static func described(
        _ request: CacheRequest, _ answer: StoredHead, _ entry: StoredHead, _ index: Int
    ) -> Keeping {
        guard StatusCode.tellsState(answer.status), entry.isOfURL(of: request) else { return .pass }
        let isSame =
            answer.status == 200 && entry.status == 200 && entry.isDescribed(by: answer)
            && !answer.statements.directives.flags.contains(.noStore)
            && !request.directives.flags.contains(.noStore)
        return isSame ? .freshen(index, entry.freshened(by: answer)) : .invalidate(index)
    }

    /// Decides about a part; `nil` if it is judged like any other answer.
    private static func joined(
        _ request: CacheRequest, _ answer: StoredHead, _ entries: [StoredHead], _ same: [Int]
    ) -> Keeping? {
        guard let new = answer.range else { return .pass }
        // The answer to a HEAD has no bytes that a part could join, even where its status is 206.
        guard let index = same.first, entries[index].hasBody, entries[index].isOfURL(of: request),
            entries[index].isSameRepresentation(as: answer)
        else {
            // A part that was not asked for has no meaning of its own.
            return request.headers[first: "Range"] == nil ? .pass : nil
        }
        let entry = entries[index]
        // The whole body is worth more than a part of it.
        guard let old = entry.range else { return .pass }
        let isForbidden =
            answer.statements.directives.flags.contains(.noStore)
            || request.directives.flags.contains(.noStore)
        guard !isForbidden, old.first <= new.first, new.first <= old.last + 1,
            new.last >= old.last, old.completeLength == new.completeLength
        else { return nil }
        let range = StoredRange(
            first: old.first, last: new.last, completeLength: new.completeLength)
        return .combine(
            index, entry.combined(with: answer, range), prefix: new.first - old.first)
    }

    /// The URLs whose entries an answer makes invalid (RFC 9111, section 4.4): that of the request,
    /// and those of the same origin that `Location` and `Content-Location` name. They are resolved
    /// and normalised. A method whose answers are kept counts as one that changes nothing.
    package static func invalidated(
        by answer: StoredHead, to request: CacheRequest
    ) -> [String] {
        guard !request.isSafe, !request.rules.keepsUnsafe, (200..<400).contains(answer.status),
            let target = try? URLText.normalizedAbsolute(request.url)
        else { return [] }
        var urls = [target]
        for name in ["Location", "Content-Location"] {
            if let url = answer.headers[first: name].flatMap({ sameOrigin($0, target) }),
                !urls.contains(url)
            {
                urls.append(url)
            }
        }
        return urls
    }

    /// Resolves a reference; `nil` if it leads to another origin.
    fileprivate static func sameOrigin(_ reference: String, _ base: String) -> String? {
        guard let url = try? URLText.resolve(reference, against: base),
            let origin = try? Origin(url: url), let own = try? Origin(url: base), origin == own
        else { return nil }
        return url
    }
}

extension StoredHead {
    var hasBody: Bool { bodyLength != nil }

    /// Whether requests that wait for this answer may have it, too. A request that it does not
    /// match must send its own, see `matches`.
    package func isShareable(with request: CacheRequest) -> Bool {
        !statements.directives.flags.contains(.noStore)
            && !request.directives.flags.contains(.noStore)
            && !variesWithTheUnknown(request)
    }

    /// Whether the answer may become an entry (RFC 9111, section 3), and is of any use as one.
    fileprivate func isKeepable(for request: CacheRequest, usesHeuristics: Bool) -> Bool {
        guard request.isAnswerable || isGetAnswer(of: request) else { return false }
        let flags = statements.directives.flags
        let isUnderstood = StatusCode.isUnderstood(status)
        let mustUnderstand = flags.contains(.mustUnderstand)
        guard (200...599).contains(status), status != 206 || range != nil,
            !mustUnderstand || isUnderstood, !flags.contains(.noStore) || mustUnderstand,
            !request.directives.flags.contains(.noStore), !variesWithTheUnknown(request),
            hasAcceptedType(for: request)
        else { return false }
        let isAllowed =
            statements.statedLifetime != nil || documentLifetime != nil
            || !flags.isDisjoint(with: [.public, .private])
            || StatusCode.isHeuristicallyCacheable(status)
        return isAllowed && isUseful(for: request, usesHeuristics: usesHeuristics)
    }

    /// Whether the route takes the answer for its media type. Another answer would only fail again.
    private func hasAcceptedType(for request: CacheRequest) -> Bool {
        guard !request.accepted.isEmpty, (200..<300).contains(status), bodyLength != 0,
            let type = headers[first: "Content-Type"]
        else { return true }
        return MediaType.isAccepted(MediaType.essence(type), request.accepted)
    }

    /// An answer that is stale at once and cannot be validated is only useful to those who accept
    /// stale answers.
    private func isUseful(for request: CacheRequest, usesHeuristics: Bool) -> Bool {
        let isFreshOnce = lifetime(usesHeuristics: usesHeuristics) > 0 && !mustAlwaysBeValidated
        if isFreshOnce || hasValidator && request.isGetOrHead { return true }
        let rules = request.rules
        let hasWindow =
            rules.staleWhileRevalidateSeconds != nil || rules.staleIfErrorSeconds != nil
            || statements.directives.staleWhileRevalidate != nil
            || statements.directives.staleIfError != nil
        return hasWindow || rules.isReadOffline || request.mode == .preferred
    }

    /// Whether the answer to a POST is what a GET of the same URL would bring (RFC 9110, section
    /// 9.3.3).
    private func isGetAnswer(of request: CacheRequest) -> Bool {
        guard request.method == "POST", (200..<300).contains(status), status != 206,
            statements.statedLifetime != nil,
            let target = try? URLText.normalizedAbsolute(request.url),
            let location = headers[first: "Content-Location"]
        else { return false }
        return Keeping.sameOrigin(location, target) == target
    }
}

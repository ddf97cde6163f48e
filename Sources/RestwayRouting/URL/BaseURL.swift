import Glibc
package import RestwayText

/// The validated URL to which an environment's paths are relative: http or https, a host and an
/// optional path.
package struct BaseURL: Sendable, Equatable {
    package let origin: Origin
    /// The path, "" or "/api/v2", without a slash at its end.
    package let path: String
    /// The URL in normal form, without a slash at its end.
    package let text: String
    private let textAndSlash: String

    /// Creates a base URL. Credentials, a query, a fragment and dot segments are refused.
    package init(_ text: String) throws(RoutingError) {
        if text.utf8.contains(where: ASCII.endsPath) {
            throw .unusableURL(
                text, "a base URL has neither query nor fragment",
                behindPath: Self.shownBehindPath(text))
        }
        let url = try HTTPURL(text)
        let segments = Array(url.path.utf8).split(separator: ASCII.slash)
        if segments.contains(where: PathSegment.isDots) {
            throw .unusableURL(text, "a base URL has no \".\" and no \"..\" segments")
        }
        origin = url.origin
        path = String(PathSegment.withoutTrailingSlashes(url.path[...]))
        self.text = origin.description + path
        textAndSlash = self.text + "/"
    }

    /// Returns the query and the fragment as a message shows them: without the values, which may be
    /// secrets.
    private static func shownBehindPath(_ text: String) -> String {
        var shown = ""
        var isValue = false
        for scalar in text.unicodeScalars.drop(while: { $0 != "?" && $0 != "#" }) {
            switch scalar {
            case "?", "&", "#": isValue = false
            case "=" where !isValue:
                isValue = true
                shown += "=..."
                continue
            default: break
            }
            if !isValue { shown.unicodeScalars.append(scalar) }
        }
        return shown
    }

    /// Creates the base URL of an API from a server, the path and the version of the API.
    package init(
        server: String, path: String? = nil, version: String? = nil
    ) throws(RoutingError) {
        var text = String(PathSegment.withoutTrailingSlashes(server[...]))
        for part in [path, version] {
            let trimmed = PathSegment.withoutTrailingSlashes((part ?? "")[...])
            let part = PathSegment.withoutLeadingSlashes(trimmed)
            if !part.isEmpty { text += "/" + part }
        }
        try self.init(text)
    }

    /// The URL of a path below the base URL.
    ///
    /// A slash at the start of the path is ignored. The path's query is kept, and `query` is
    /// appended to it. The fragment is dropped. Characters that are not allowed in a URL are
    /// percent-encoded; existing triplets are kept. A path that leads above the base URL and an
    /// absolute URL are refused.
    package func url(path: String, query: [Pair] = []) throws(RoutingError) -> String {
        let url = isPlain(path) ? textAndSlash + path : try encodedURL(path: path)
        return URLText.appendingQuery(query, to: url)
    }

    /// The URL of any path, without further parameters.
    func encodedURL(path: String) throws(RoutingError) -> String {
        if URLText.isAbsolute(path) {
            throw .unusableURL(path, "only a route that says \"absolute\": true takes it")
        }
        let relative = path.utf8.dropFirst(path.utf8.first == ASCII.slash ? 1 : 0)
        let encoded = URLText.encodedWithoutFragment(Substring(relative))
        if PathSegment.climbs(encoded.utf8.prefix { $0 != ASCII.question }) {
            throw .unusableURL(path, "\"..\" leads above the base URL \(text)")
        }
        var url = text
        if self.path.isEmpty || !(encoded.isEmpty || encoded.utf8.first == ASCII.question) {
            url += "/"
        }
        return url + encoded
    }

    /// Whether the URL of `path` is its text behind the base URL, as it is for most paths.
    private func isPlain(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { PathSegment.isPlain($0) }
    }

    /// The path below this base URL, without query. Percent-encoding and leading slash are
    /// unchanged. Returns nil if the URL is not below this base URL.
    package func relativePath(of url: String) -> String? {
        plainPath(of: url) ?? parsedPath(of: url)
    }

    /// The path below this base URL in any URL.
    func parsedPath(of url: String) -> String? {
        guard let url = try? HTTPURL(url), url.origin == origin,
            url.path.utf8.starts(with: path.utf8)
        else { return nil }
        let rest = url.path.utf8.dropFirst(path.utf8.count)
        guard let first = rest.first else { return "" }
        guard first == ASCII.slash else { return nil }
        let below = String(rest.dropFirst()) ?? ""
        return PathSegment.climbs(below[...].utf8) ? nil : below
    }

    /// The part of `url` after this base URL, with a leading slash but without a fragment; nil if
    /// `url` is not below this base URL.
    package func uri(of url: String) -> String? {
        plainPath(of: url, withSlash: true) ?? parsedURI(of: url)
    }

    /// The part of any URL after this base URL.
    func parsedURI(of url: String) -> String? {
        guard parsedPath(of: url) != nil, url.utf8.starts(with: text.utf8) else { return nil }
        let rest = url.utf8.dropFirst(text.utf8.count).prefix { $0 != UInt8(ascii: "#") }
        let behind = String(Substring(rest))
        return rest.first == ASCII.slash ? behind : "/" + behind
    }

    /// The path, if `url` is the result of `url(path:)` for a plain path, as most are. No parsing
    /// is needed.
    private func plainPath(of url: String, withSlash: Bool = false) -> String? {
        var (url, base) = (url, textAndSlash)
        return url.withUTF8 { url in
            base.withUTF8 { base in
                guard let start = url.baseAddress, let baseStart = base.baseAddress,
                    url.count > base.count, memcmp(start, baseStart, base.count) == 0,
                    PathSegment.isPlain(UnsafeBufferPointer(rebasing: url[base.count...]))
                else { return nil }
                let path = url[(base.count - (withSlash ? 1 : 0))...]
                return String(decoding: UnsafeBufferPointer(rebasing: path), as: UTF8.self)
            }
        }
    }
}

package import RestwayHTTP
import RestwayText

/// Whether the redirects on the way to a URL allow the answer at its end to be kept. The answer is
/// found again by the URL before the redirects, because they may lead to another URL each time, as
/// the redirects to signed URLs do.
package struct FollowedRedirects: Sendable {
    /// The header fields of the request that the redirects depend on (`Vary`).
    package private(set) var varyingNames: [String] = []
    /// Whether a redirect must not be kept, so that nothing may be found by the URL before it.
    private(set) var areForbidden = false

    package init() {}

    package mutating func follow(_ headers: Headers) {
        let members = { (name: String) in
            (headers.joined(name) ?? "").split(separator: ",")
                .map { ASCII.lowercased(String(Headers.trimmed($0))) }
                .filter { !$0.isEmpty }
        }
        for name in members("Vary") where !varyingNames.contains(name) { varyingNames.append(name) }
        if members("Cache-Control").contains("no-store") { areForbidden = true }
    }
}

import RestwayHTTP
import RestwayRouting

/// Keeps secrets out of what people read: logs and commands.
struct Redaction: Sendable {
    static let mark = "[redacted]"

    /// Headers and query parameters that hold secrets by their name, in lower case.
    private static let standardNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
        "x-csrf-token", "api-key", "access_token", "refresh_token", "id_token", "token", "auth",
        "api_key", "apikey", "key", "password", "passwd", "secret", "client_secret", "signature",
        "sig", "code", "session", "sessionid", "jwt",
    ]

    private var names: Set<String>

    /// - Parameter names: The document's own, beside the standard ones.
    init(_ names: [String] = []) {
        self.names = Self.standardNames.union(names.map { $0.lowercased() })
    }

    mutating func add(_ name: String) {
        names.insert(name.lowercased())
    }

    func isSecret(_ name: String) -> Bool {
        names.contains(name.lowercased())
    }

    func header(_ field: HeaderField) -> String {
        isSecret(field.name) ? Self.mark : field.value
    }

    /// `url` with the values of secret query parameters replaced, and no credentials.
    func url(_ url: String) -> String {
        let url = URLText.redacted(url)
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let query = url[url.index(after: mark)...]
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            let decoded = URLText.decoded(String(name))
            return isSecret(decoded) && name.count < pair.count ? "\(name)=\(Self.mark)" : "\(pair)"
        }
        return url[...mark] + pairs.joined(separator: "&")
    }
}

package import RestwayHTTP
package import RestwayRouting
import RestwayText

/// The environment of one client: an environment of the document, whose base URL the client may
/// have replaced.
///
/// All settings of the environment stay when the base URL is replaced. Only what tells who the
/// caller is belongs to the servers of the document: the headers, the client certificate and the
/// credential of the section `auth`. It is left out if the other base URL has an origin that the
/// environment does not trust.
package struct ClientEnvironment: Sendable {
    /// The environment, with the headers of the document before its own.
    package private(set) var environment: Environment
    package private(set) var network: NetworkSettings
    /// The section `auth`.
    package private(set) var auth: AuthDefinition
    /// The settings that the client does not use, for the log; `nil` if it uses all.
    package private(set) var note: String?

    /// - Parameters:
    ///   - name: The environment's name; `nil` for the document's choice.
    ///   - baseURL: Replaces the environment's base URL. With it, the document need not have an
    ///     environment.
    package init(
        _ definition: APIDefinition, name: String?, baseURL: String?
    ) throws(RoutingError) {
        let environments = definition.environments
        let name = name ?? environments.chosen
        let chosen = name.map { environments[$0] } ?? environments.only
        let replacement: BaseURL? = if let baseURL { try BaseURL(baseURL) } else { nil }
        auth = definition.auth
        if let chosen {
            environment = chosen
            network = environments.network(of: chosen)
        } else if name == nil, let replacement {
            environment = Environment(name: "", baseURL: replacement)
            network = NetworkSettings()
        } else {
            throw .unknownEnvironment(name ?? "", known: environments.names)
        }
        environment.headers = environments.headers + environment.headers
        guard let replacement else { return }
        environment.baseURL = replacement
        let candidates = chosen.map { [$0] } ?? environments.all
        var notes: [String] = []
        if chosen == nil, !candidates.isEmpty {
            notes.append("no environment is chosen, so that the settings of none apply")
        }
        let isTrusted =
            candidates.isEmpty || candidates.contains { $0.trusts(replacement.origin) }
        if !isTrusted {
            let dropped = leaveOut(of: chosen?.baseURL.origin, environments.redirects)
            if !dropped.isEmpty {
                notes.append(
                    "it has another origin than the document's, so that these are left out: "
                        + dropped.joined(separator: ", ")
                        + " (trustedOrigins of the environment would allow them)")
            }
        }
        if !notes.isEmpty {
            note = "the base URL \(replacement.text) is the program's: "
                + notes.joined(separator: "; ")
        }
    }

    /// Leaves out what must not go to another origin. Returns what that was.
    ///
    /// - Parameter origin: The origin to which the client certificate stays bound.
    private mutating func leaveOut(of origin: Origin?, _ rules: RedirectRules) -> [String] {
        var dropped: [String] = []
        let fields = environment.headers.map { HeaderField(name: $0.name, value: $0.value) }
        let kept = rules.headers(fields, keepsBody: true, isTrusted: false)
        for field in fields where !kept.contains(where: { $0.isNamed(field.name) }) {
            dropped.append("header \(field.name)")
        }
        environment.headers = kept.map { Pair(name: $0.name, value: $0.value) }
        if let tls = network.tls, tls.certificateFile != nil {
            if let origin, network.tlsByOrigin[origin] == nil { network.tlsByOrigin[origin] = tls }
            network.tls?.certificateFile = nil
            network.tls?.keyFile = nil
            network.tls?.password = nil
            dropped.append("the client certificate of \"tls\"")
        }
        if auth.credential != Credential() {
            auth.credential = Credential()
            dropped.append("the credential of \"auth\"")
        }
        return dropped
    }
}

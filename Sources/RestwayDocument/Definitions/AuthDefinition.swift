package import RestwayOutcome
package import RestwayRouting
import RestwayText

/// The section `auth` of a document.
package struct AuthDefinition: Sendable {
    package enum Scheme: Sendable, Equatable {
        /// The program's authorize function does everything.
        case custom
        case basic
        case digest
        case bearer
        /// An API key in the header or query parameter of this name.
        case apiKey(String, isInQuery: Bool)
        case oauth2(OAuthSettings)
    }

    /// The limits on replays and refreshes.
    package struct Limits: Sendable, Equatable {
        /// How often one call may be sent again with another credential.
        package var replaysMax = 1
        package var refreshesMax = 5
        package var windowMilliseconds: Int64 = 30_000
        /// The shortest time between a failure that is not final and the next refresh.
        package var pauseMilliseconds: Int64 = 1_000

        package init() {}
    }

    package var scheme = Scheme.custom
    package var credential = Credential()
    /// The statuses which say that a credential is no longer valid.
    var replayStatuses: [ClosedRange<Int>] = [401...401]
    var replayCodes: Set<String> = []
    package var limits = Limits()
    package var refreshTimeoutMilliseconds: Int64 = 30_000
    /// How long before its expiry a token is replaced.
    package var earlyMilliseconds: Int64 = 30_000

    /// Whether an answer says that the credential is no longer valid, if no function is asked.
    package func isRefusal(status: Int, apiCode: String?) -> Bool {
        replayStatuses.contains { $0.contains(status) }
            || apiCode.map(replayCodes.contains) == true
    }

    /// The header that the scheme sets. The scheme does not apply to a request that sets this
    /// header itself.
    package var header: String? {
        switch scheme {
        case .basic, .digest, .bearer, .oauth2: "Authorization"
        case .apiKey(let name, isInQuery: false): name
        case .apiKey, .custom: nil
        }
    }

    /// Returns the whole credential of a client for which the program sets `given`. Nothing of the
    /// credential before it stays. The user name or client identifier of the document belongs to
    /// the application, so a credential that names no user gets it, with its password.
    package func replacing(with given: Credential) -> Credential {
        guard !given.isEmpty, given.user == nil, let user = credential.user else { return given }
        var whole = given
        whole.user = user
        if whole.password == nil { whole.password = credential.password }
        return whole
    }

    /// Returns the user in whose name requests with `credential` go, as far as the scheme tells: a
    /// token does not say whose it is. `nil` if it is not known.
    package func userName(in credential: Credential) -> String? {
        switch scheme {
        case .basic, .digest: credential.user
        case .oauth2(let settings): settings.grant == .clientCredentials ? credential.user : nil
        case .custom, .bearer, .apiKey: nil
        }
    }

    /// Whether `credential` has everything that the scheme sends.
    package func isComplete(_ credential: Credential) -> Bool {
        switch scheme {
        case .custom: true
        case .basic, .digest: credential.user != nil
        case .bearer, .apiKey, .oauth2: credential.token != nil
        }
    }
}

extension AuthDefinition {
    /// Returns the definition with an absolute token endpoint. In a document it may be a path below
    /// the base URL.
    package func resolved(_ environment: Environment) throws(Failure) -> AuthDefinition {
        guard case .oauth2(var settings) = scheme else { return self }
        do {
            settings.tokenURL =
                URLText.isAbsolute(settings.tokenURL)
                ? try URLText.normalizedAbsolute(settings.tokenURL)
                : try environment.baseURL.url(path: settings.tokenURL)
        } catch {
            throw Failure(error)
        }
        var resolved = self
        resolved.scheme = .oauth2(settings)
        return resolved
    }
}

import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayRouting

/// An environment of an API: a base URL with a name.
///
///     for environment in api.allEnvironments { print(environment.name, environment.baseURL) }
///     let client = try Client(api, options: .init(environment: "test"))
///
/// A client has one environment from its beginning to its end. Several clients may use one API,
/// each in an environment of its own.
public struct Environment: Sendable, Hashable {
    /// The name in the document; empty for a base URL that the options of the client gave.
    public let name: String
    /// The absolute URL to which requests add their paths.
    public let baseURL: String

    init(_ core: RestwayRouting.Environment) {
        name = core.name
        baseURL = core.baseURL.text
    }
}

extension API {
    /// The environments, in the order of the document.
    public var allEnvironments: [Environment] {
        let known = core.definition.environments
        return environments.compactMap { known[$0].map(Environment.init) }
    }
}

extension Client {
    /// The environment of the client.
    public var environment: Environment { Environment(core.calls.environment) }
}

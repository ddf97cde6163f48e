package import RestwayHTTP
import RestwayJSON
package import RestwayRouting
package import RestwayText

/// The environments of a document, and the settings that apply to all of them.
package struct Environments: Sendable {
    private var environments: [String: Environment] = [:]
    /// The network settings of the environments that have some, by the environment's name.
    private var networks: [String: NetworkSettings] = [:]
    /// All names in the document's order, including environments with a problem.
    package private(set) var names: [String] = []
    /// The name of the environment to use when a client names no environment.
    package private(set) var chosen: String?
    /// Headers that are sent to every environment.
    package var headers: [Pair] = []
    /// The rules for headers that follow a redirect to an origin that the environment does not
    /// trust.
    package var redirects = RedirectRules()

    package subscript(name: String) -> Environment? { environments[name] }

    /// All environments, without those that have a problem.
    package var all: [Environment] { names.compactMap { environments[$0] } }

    /// The only environment of the document; `nil` if the document has several environments or no
    /// environment.
    package var only: Environment? { environments.count == 1 ? environments.values.first : nil }

    package func network(of environment: Environment) -> NetworkSettings {
        networks[environment.name] ?? NetworkSettings()
    }

    /// Resolves the relative paths of files against `directory`.
    mutating func resolve(in directory: String) {
        for name in networks.keys { networks[name]?.resolve(in: directory) }
    }

    /// Adds an environment that stands in no section.
    mutating func add(_ environment: Environment) {
        names.append(environment.name)
        environments[environment.name] = environment
    }

    /// Reads the sections `environments` and `environment`.
    mutating func read(_ document: DocumentFiles) {
        headers = DocumentNode.headers(document.members("headers", expanding: true))
        let languages = document.languages()
        if !languages.isEmpty, !headers.contains(where: { $0.isAcceptLanguage }) {
            headers.append(
                Pair(name: AcceptLanguage.name, value: AcceptLanguage.value(languages)))
        }
        redirects = RedirectRules(document)
        for (name, node) in document.members("environments", expanding: true) {
            // An environment with a problem stays known, so that naming it is not reported as
            // another problem.
            names.append(name)
            environments[name] = Environment(name, node)
            networks[name] = NetworkSettings(node)
        }
        guard let node = document["environment"], let name = node.nonEmptyString() else { return }
        chosen = name
        if !names.contains(name) { node.reportUnknown("environment", name, among: names) }
    }
}

extension DocumentFiles {
    /// Reads the key `languages`.
    fileprivate func languages() -> [String] {
        let nodes = elements("languages")
        let max = AcceptLanguage.languagesMax
        if nodes.count > max { nodes[max].report("there are at most \(max) languages") }
        return nodes.compactMap { node in
            guard let text = node.string() else { return nil }
            guard AcceptLanguage.isRange(text) else {
                return node.refuse("\"\(text)\" is no language tag such as \"de-CH\"")
            }
            return text
        }
    }
}

extension Pair {
    fileprivate var isAcceptLanguage: Bool {
        ASCII.areEqualIgnoringCase(name, AcceptLanguage.name)
    }
}

extension RedirectRules {
    /// Reads the keys `redirectHeaders` and `redirectBodies`.
    fileprivate init(_ document: DocumentFiles) {
        self.init(
            addedNames: document.elements("redirectHeaders").compactMap { $0.redirectHeader() },
            carriesBodies: document["redirectBodies"]?.bool() ?? false)
    }
}

extension Environment {
    init?(_ name: String, _ node: DocumentNode) {
        guard let object = node.object(.environment) else { return nil }
        let timeouts = Timeouts(object)
        let headers = object["headers"]?.headers() ?? []
        let trusted = object["trustedOrigins"]?.elements()?.compactMap { $0.origin() } ?? []
        if object["server"] == nil, object["host"] == nil {
            // The path and the version are read nevertheless, so that their problems are reported.
            _ = object["path"]?.string()
            _ = object["version"]?.string()
        }
        guard let baseURL = object.baseURL() else { return nil }
        self.init(
            name: name, baseURL: baseURL, headers: headers, timeouts: timeouts,
            trustedOrigins: trusted)
    }
}

extension Timeouts {
    /// - Parameter object: An environment or a route.
    init(_ object: DocumentNode) {
        self.init()
        totalMilliseconds = object.milliseconds("timeoutMilliseconds")
        connectMilliseconds = object.milliseconds("connectTimeoutMilliseconds")
        firstByteMilliseconds = object.milliseconds("firstByteTimeoutMilliseconds")
        idleMilliseconds = object.milliseconds("idleTimeoutMilliseconds")
        tooSlowMilliseconds = object.milliseconds("tooSlowMilliseconds")
    }
}

extension DocumentNode {
    fileprivate func baseURL() -> BaseURL? {
        if let node = self["baseURL"] {
            for key in ["server", "protocol", "host", "port", "path", "version"] {
                self[key]?.report("stands beside \"baseURL\"; write one or the other")
            }
            guard let text = node.nonEmptyString() else { return nil }
            return node.routing { () throws(RoutingError) in try BaseURL(text) }
        }
        if let node = self["server"] {
            for key in ["protocol", "host", "port"] {
                self[key]?.report("stands beside \"server\"; write one or the other")
            }
            return baseURL(of: node.nonEmptyString(), at: node)
        }
        guard let node = self["host"] else {
            return refuse("\"baseURL\" (or \"server\", or \"host\") is missing")
        }
        return baseURL(of: serverOfParts(), at: node)
    }

    /// - Parameter server: `nil` if it has a problem; then only the problems of the other parts are
    ///   found.
    private func baseURL(of server: String?, at node: DocumentNode) -> BaseURL? {
        let path = self["path"]?.string()
        let version = self["version"]?.string()
        guard let server else { return nil }
        return node.routing { () throws(RoutingError) in
            try BaseURL(server: server, path: path, version: version)
        }
    }

    /// Joins `protocol`, `host` and `port`. The protocol's own port is left out.
    ///
    /// - Parameter prefix: What stands in front of the keys.
    func serverOfParts(_ prefix: String = "") -> String? {
        let scheme = self[prefix + "protocol"].map { $0.scheme() } ?? "https"
        let port = self[prefix + "port"].map { $0.port() } ?? 0
        guard let node = self[prefix + "host"], let host = node.nonEmptyString() else { return nil }
        guard !host.utf8.contains(where: { "/?#@".utf8.contains($0) }) else {
            return node.refuse("must be a host alone")
        }
        guard let scheme, let port else { return nil }
        // An IPv6 address needs brackets beside a port.
        let isAddress = host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[")
        let server = "\(scheme)://" + (isAddress ? "[\(host)]" : host)
        let usual = scheme == "http" ? 80 : 443
        return port == 0 || port == usual ? server : "\(server):\(port)"
    }

    private func scheme() -> String? {
        guard let text = string() else { return nil }
        return ["http", "https"].contains(text)
            ? text : refuse("must be \"http\" or \"https\", is \"\(text)\"")
    }

    /// Reads a port. A text is allowed, too, because the value of a variable is always a text. 0
    /// stands for the default port of the protocol.
    private func port() -> Int? {
        guard value.kind == .string else {
            return integer(in: DocumentObject.environment.range("port"))
        }
        guard let text = string() else { return nil }
        guard text.utf8.allSatisfy(ASCII.isDigit), let port = UInt16(text) else {
            return refuse("must be between 0 and 65535, is \"\(text)\"")
        }
        return Int(port)
    }
}

extension DocumentNode {
    fileprivate func origin() -> Origin? { nonEmptyString().flatMap { origin($0) } }

    /// The origin with this text, which stands at this node.
    func origin(_ text: String) -> Origin? {
        let url = routing { () throws(RoutingError) in try BaseURL(text) }
        guard let url, !url.path.isEmpty else { return url?.origin }
        return refuse("an origin has no path: it stands for all of \(url.origin)")
    }

    /// Reads the name of a header that follows a redirect to an origin that is not trusted.
    fileprivate func redirectHeader() -> String? {
        guard let name = string(), checkHeaderName(name) else { return nil }
        let lowercased = name.lowercased()
        if RedirectRules.credentialNames.contains(where: { $0.lowercased() == lowercased }) {
            return refuse("\(name) is a credential, which goes to trustedOrigins alone")
        }
        return name
    }
}

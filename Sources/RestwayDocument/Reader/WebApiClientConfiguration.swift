import RestwayHTTP
import RestwayJSON
import RestwayRouting
import RestwayText
import RestwayThreads

/// Reads a configuration of WebApiClient, a library for iOS: routes under `webservice.api`, and the
/// server, a token and an application identifier in keys that start with `App_webservice_`.
///
/// All other keys belong to the program.
enum WebApiClientConfiguration {
    private static let prefix = "App_webservice_"
    /// The name of the only environment.
    static let environment = "webservice"

    /// The values that become headers: the key of the value, the key of the header's name, and the
    /// name without that key.
    private static let headers = [
        (prefix + "token", prefix + "tokenHeader", "X-Api-Key"),
        (prefix + "appId", prefix + "appIdHeader", "X-App-ID"),
    ]

    /// Whether the root of a file is a configuration, and not a document.
    static func isConfiguration(_ root: JSONTree) -> Bool {
        guard let members = root.members, root["restway"] == nil else { return false }
        return members.contains { $0.0 == "webservice" || $0.0.hasPrefix(prefix) }
    }

    static func read(_ root: DocumentNode, into definition: inout APIDefinition) {
        let values = root.expanding
        if values[prefix + "host"] != nil, let server = values.serverOfParts(prefix) {
            let url = values.routing { () throws(RoutingError) in try BaseURL(server) }
            if let url {
                definition.environments.add(Environment(name: environment, baseURL: url))
            }
        }
        for (key, nameKey, usualName) in headers {
            guard let node = values[key], let value = node.string() else { continue }
            let name = values[nameKey].map { $0.string() } ?? usualName
            guard let name, node.checkHeaderName(name) else { continue }
            if Headers.isValidValue(value) {
                definition.environments.headers.append(Pair(name: name, value: value))
                if key == prefix + "token" { definition.redaction.add(name) }
            } else {
                node.report("holds a character that a header value may not have")
            }
        }
        for (name, node) in root["webservice"]?["api"]?.namedMembers() ?? [] {
            if let route = DocumentRoute(webApiClient: name, node) { definition.add(route) }
        }
    }
}

extension DocumentRoute {
    private static let keysOfWebApiClient = [
        "method", "path", "requestHeaders", "gzip", "saveAsResource", "serialization",
        "serializationName",
    ]

    /// Reads a route of WebApiClient. Its path may be an absolute URL. The keys that have no
    /// meaning for Restway are properties of the route.
    init?(webApiClient name: String, _ node: DocumentNode) {
        guard let members = node.value.members else {
            node.report("must be an object, is \(node.value.kind.withArticle)")
            return nil
        }
        let methods = node["method"].map { $0.methods() } ?? [.get]
        let template = node.required("path")?.template()
        let headers = node["requestHeaders"]?.headers() ?? []
        var body = BodySettings()
        node.read("gzip", into: &body.isCompressed) { $0.bool() }
        var answers = AnswerSettings()
        node.read("saveAsResource", into: &answers.areSaved) { $0.bool() }
        body.serialization = node.serialization()
        let settings = RouteSettings(
            headers: headers, body: body, answers: answers,
            cache: CacheRules(ofWebApiClient: node, methods))
        if let mapper = node["dataMapper"]?.value.string {
            Log.shared.write(
                .warning, .client,
                "route \"\(name)\" names the data mapper \"\(mapper)\", which is not known here")
        }
        guard let template, !methods.isEmpty else { return nil }
        var properties: [String: String] = [:]
        for (key, value) in members where !Self.keysOfWebApiClient.contains(key) {
            properties[key] = String(decoding: value.text(), as: UTF8.self)
        }
        let route = Route(
            name: name, methods: methods, template: template, isAbsolute: true,
            properties: properties)
        self.init(route: route, settings: settings, node: node)
    }
}

extension DocumentNode {
    /// Reads the number of a serialization, which wins, or its name in any case. A name that is not
    /// known stands for `json`.
    fileprivate func serialization() -> Serialization? {
        let numbers = DocumentObject.route.range("serialization")
        if let number: Int = self["serialization"]?.integer(in: numbers) {
            return Serialization(number: number)
        }
        guard let name = self["serializationName"]?.string() else { return nil }
        return Serialization(rawValue: ASCII.lowercased(name)) ?? .json
    }
}

package import RestwayDocument
package import RestwayHTTP
package import RestwayObjects
package import RestwayRouting

/// Conditions by which a server acts on a request only if its object has a certain version (RFC
/// 9110, section 13.1).
extension VersionRule {
    /// Returns the header field that makes a request conditional on a version; `nil` if the version
    /// cannot be a condition.
    ///
    /// A weak tag cannot, because the server compares tags strongly then (RFC 9110, section
    /// 13.1.1). With a key path in the body, the body carries the version.
    package func condition(_ version: ObjectVersion?) -> HeaderField? {
        guard let version, bodyKeyPath == nil, !version.isWeak(by: self) else { return nil }
        switch source {
        case .lastModified: return HeaderField(name: "If-Unmodified-Since", value: version.text)
        case .entityTag: return HeaderField(name: "If-Match", value: version.text)
        case .attribute:
            let text = version.text
            return HeaderField(
                name: "If-Match", value: text.hasPrefix("\"") ? text : "\"\(text)\"")
        }
    }
}

extension ObjectVersion {
    /// Whether it is a weak tag: two states of the object may have it.
    package func isWeak(by rule: VersionRule) -> Bool {
        rule.source != .lastModified && text.hasPrefix("W/")
    }
}

extension HeaderField {
    /// Whether a server with this field acts on a request only under a condition.
    package var isPrecondition: Bool {
        ["If-Match", "If-None-Match", "If-Unmodified-Since"].contains { isNamed($0) }
    }
}

extension RequestSpec {
    /// Returns the request for the newest state of an object that another request is about; `nil`
    /// if no route gets it.
    ///
    /// The path of the other request is asked if its answers are mapped. Otherwise, the object
    /// router finds the route.
    package static func newest(
        of object: Snapshot, route: Route?, path: String?, _ api: LoadedAPI
    ) -> RequestSpec? {
        var spec: RequestSpec?
        let literal = path.map { String($0.prefix { $0 != "?" && $0 != "#" }) }
        // Other paths would be templates.
        if let path = literal, !path.contains(where: { ":{}\\".contains($0) }) {
            if let route, let name = route.name, route.methods.contains(.get),
                api.maps(.get, DescriptorChoice(route: route, path: path))
            {
                spec = RequestSpec(target: .routed(.get, path, route: name))
            } else if api.maps(.get, DescriptorChoice(route: nil, path: path)) {
                spec = RequestSpec(target: .path(.get, path))
            }
        }
        if spec == nil, (try? api.route(for: object.entity, method: .get)) != nil {
            spec = RequestSpec(target: .subject(.get), subject: .object(object))
        }
        spec?.reception.caching.mode = .reload
        return spec
    }
}

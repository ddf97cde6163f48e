import RestwayJSON
import RestwayMapping
import RestwayObjects

/// The keys `version` and `conflicts` of an entity, with attributes and relationships by name. An
/// entity has those of the entity that it extends, and its own in front of them.
struct ConflictParts: Sendable {
    private enum Source: Sendable {
        case entityTag
        case lastModified
        case attribute(String)
    }

    private struct Version: Sendable {
        let source: Source
        let isOrdered: Bool
        let bodyKeyPath: [String]?
    }

    /// The headers that state a version.
    private static let headers = ["ETag", "Last-Modified"]

    private var version: Version?
    private var rules = ConflictRules()
    /// The policies of attributes and relationships by name.
    private var policies: [String: ConflictPolicy] = [:]

    /// Reads the keys of an entity. A problem is reported, and what has it is left out.
    ///
    /// - Parameters:
    ///   - chain: The entities that it extends, and the entity itself, with their attributes and
    ///     relationships.
    mutating func read(_ entity: DocumentNode, _ chain: [EntityParts]) {
        if let node = entity["version"] { readVersion(node, entity, chain) }
        guard let node = entity["conflicts"], let object = node.object(.conflicts) else { return }
        if version == nil, entity["version"] == nil { node.report("stands without \"version\"") }
        object.read("policy", into: &rules.policy) { $0.policyOfObjects() }
        object.read("theyDeleted", into: &rules.theyDeleted) { $0.policyOfObjects() }
        object.read("iDelete", into: &rules.iDelete) { $0.policyOfObjects() }
        object.read("uncertain", into: &rules.uncertain) { $0.policyOfObjects() }
        object.read("triesMax", into: &rules.triesMax)
        for (name, node) in object["attributes"]?.namedMembers() ?? [] {
            guard let policy: ConflictPolicy = node.choice("policy") else { continue }
            if let reason = reason(against: policy, name, node, chain) { node.report(reason) }
            policies[name] = policy
        }
    }

    /// Reads `{"header"}` or `{"attribute", "ordered", "send": {"body"}}`.
    private mutating func readVersion(
        _ node: DocumentNode, _ entity: DocumentNode, _ chain: [EntityParts]
    ) {
        guard let object = node.object(.version) else { return }
        if let base = chain.dropLast().last {
            return node.report(
                "\(chain[chain.count - 1].name) extends \(base.name) (\(base.place.text)), and "
                    + "shares its versions")
        }
        if entity["identity"] == nil {
            node.report("stands without \"identity\", which finds the object of a version")
        }
        if entity["keep"]?.value.bool == false {
            node.report("stands beside \"keep\", with which the store has no object of a version")
        }
        let isOrdered = object["ordered"]?.bool() ?? false
        let bodyKeyPath = object["send"].flatMap { $0.object(.versionSend) }
            .flatMap { $0.required("body")?.keyPath() }
        let (header, attribute) = (object["header"], object["attribute"])
        guard (header == nil) != (attribute == nil) else {
            return node.report("must have one of \"header\" and \"attribute\"")
        }
        if let header {
            for key in ["ordered", "send"] {
                object[key]?.report("is for versions in an attribute, not in a header")
            }
            let name = header.choice(Self.headers, "header of versions")
            version = Version(
                source: name == Self.headers[1] ? .lastModified : .entityTag, isOrdered: false,
                bodyKeyPath: nil)
        } else if let attribute, let name = attribute.nonEmptyString() {
            check(attribute, name, isOrdered ? object["ordered"] : nil, chain)
            version = Version(
                source: .attribute(name), isOrdered: isOrdered, bodyKeyPath: bodyKeyPath)
        }
    }

    /// Reports an attribute that is missing or cannot be a version.
    ///
    /// - Parameter ordered: The key `ordered`; `nil` if versions have no order.
    private func check(
        _ node: DocumentNode, _ name: String, _ ordered: DocumentNode?, _ chain: [EntityParts]
    ) {
        let attributes = chain.flatMap(\.attributes)
        guard let attribute = attributes.first(where: { $0.name == name }) else {
            return node.reportUnknown("attribute", name, among: attributes.map(\.name))
        }
        let shape = attribute.shape
        if shape.isCollection || ![.string, .int, .date, .any].contains(shape.innermost) {
            node.report(
                "a version is of type string, int, date or any, \"\(name)\" is of type "
                    + shape.description)
        } else if let ordered, ![.int, .date].contains(shape.innermost) {
            ordered.report(
                "an ordered version is of type int or date, \"\(name)\" is of type "
                    + shape.description)
        }
    }

    /// Returns why an attribute or a relationship cannot have a policy; `nil` if it can. An unknown
    /// name is reported.
    private func reason(
        against policy: ConflictPolicy, _ name: String, _ node: DocumentNode,
        _ chain: [EntityParts]
    ) -> String? {
        let attributes = chain.flatMap(\.attributes)
        let relationships = chain.flatMap(\.relationships)
        let attribute = attributes.first { $0.name == name }
        let relationship = relationships.first { $0.name == name }
        guard attribute != nil || relationship != nil else {
            node.reportUnknown(
                "attribute or relationship", name,
                among: attributes.map(\.name) + relationships.map(\.name))
            return nil
        }
        let isFitting: Bool
        let values: String
        switch policy {
        case .mine, .theirs, .park, .ask: return nil
        case .add:
            values = "numbers"
            isFitting = attribute?.shape.mayBeNumber ?? false
        case .union:
            values = "lists"
            isFitting = attribute?.shape.mayBeList ?? relationship?.isMany ?? false
        }
        if isFitting { return nil }
        let found = attribute.map { "of type \($0.shape.description)" } ?? "a relationship"
        return "\"\(policy.rawValue)\" is for \(values), \"\(name)\" is \(found)"
            + (policy == .union && relationship != nil ? " to one object" : "")
    }

    // MARK: Made

    /// How the versions of objects are known.
    ///
    /// - Parameter attributes: The indices of attributes by name.
    func version(_ attributes: [String: Int]) -> VersionRule? {
        guard let version else { return nil }
        switch version.source {
        case .entityTag: return VersionRule(.entityTag)
        case .lastModified: return VersionRule(.lastModified)
        case .attribute(let name):
            return attributes[name].map {
                VersionRule(
                    .attribute($0), isOrdered: version.isOrdered, bodyKeyPath: version.bodyKeyPath)
            }
        }
    }

    /// - Parameter cell: Returns the index of the cell of an attribute or a relationship.
    func rules(_ cell: (String) -> Int?) -> ConflictRules {
        var rules = rules
        for (name, policy) in policies {
            if let cell = cell(name) { rules.cells[cell] = policy }
        }
        return rules
    }
}

extension ValueShape {
    fileprivate var mayBeNumber: Bool {
        !isCollection && [.int, .double, .any].contains(innermost)
    }

    fileprivate var mayBeList: Bool {
        switch self {
        case .one(let type): type == .json || type == .any
        case .list: true
        case .map: false
        }
    }
}

extension DocumentNode {
    /// Reads a policy that does not depend on the values of one attribute.
    fileprivate func policyOfObjects() -> ConflictPolicy? {
        choice(ConflictPolicy.ofObjects.map(\.rawValue), "policy")
            .flatMap(ConflictPolicy.init(rawValue:))
    }
}

/// The key `conflict` of a route.
extension ConflictSettings {
    init(_ node: DocumentNode) {
        self.init()
        guard let object = node.object(.routeConflict) else { return }
        let status = object["status"]
        statuses = status?.statusRanges() ?? []
        object.read("codes", into: &codes) { $0.codes() }
        if object["codes"] == nil, let status, statuses.contains(409...409) {
            status.report(
                "a 409 is a conflict only by its code, because it may also say that the server "
                    + "still works on the request: name the code in \"codes\"")
        }
        let isOfBody = object["newest"]?.choice(["fetch", "body"], "place of the newest") == "body"
        let keyPath = object["keyPath"]?.sourcePath()
        if isOfBody {
            newest = .body(keyPath: keyPath ?? [])
        } else {
            object["keyPath"]?.report("stands without \"newest\": \"body\"")
        }
        object.read("inProgress", into: &inProgressTypes) { node in
            node.elements().map { Set($0.compactMap { $0.nonEmptyString() }) }
        }
    }
}

import RestwayJSON
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome

/// Builds entities through functions, until the api is frozen.
extension API {
    /// Registers a transform of the program.
    package func addTransform(_ name: String, _ transform: CustomTransform) throws(Failure) {
        try change { reader throws(Failure) in
            guard DocumentNode.typesOfTransforms[name] == nil else {
                throw Failure(
                    .invalidArgument, "transform \"\(name)\" is built in", field: "name")
            }
            guard reader.definition.transforms[name] == nil else {
                throw Failure(.duplicate, "transform \"\(name)\" exists already", field: name)
            }
            reader.definition.transforms[name] = transform
        }
    }

    /// Registers a hook of the program, also when the api is frozen.
    package func addHook(_ name: String, _ hook: @escaping Hook) throws(Failure) {
        try change(allowedWhenFrozen: true) { reader throws(Failure) in
            guard reader.definition.hooks[name] == nil else {
                throw Failure(.duplicate, "hook \"\(name)\" exists already", field: name)
            }
            reader.definition.hooks[name] = hook
        }
    }

    /// Adds an attribute to an entity. `source` is a key path or the text of a JSON array of keys,
    /// `transform` is a name or the text of a JSON object.
    package func addAttribute(
        _ name: String, toEntity entityName: String, source: String?, type: AttributeType,
        format: String?, transform: String?
    ) throws(Failure) {
        var members: [(key: String, value: JSONValue)] = [("type", .string(type.rawValue))]
        if let source { members.append(("source", try Self.source(source))) }
        if let format { members.append(("format", .string(format))) }
        if let transform { members.append(("transform", try Self.transform(transform))) }
        let value = JSONValue.object(members)
        try change { reader throws(Failure) in
            let mapping = try self.mapping(entityName, reader)
            try Self.refuse(name, of: mapping.entity)
            let node = DocumentNode(value: value, path: "$", problems: reader.problems)
            reader.addAttribute(name, to: mapping, node)
        }
    }

    /// Adds a relationship to an entity.
    package func addRelationship(
        _ name: String, toEntity entityName: String, source: String?, target: String,
        isMany: Bool, isByIdentity: Bool, policy: Relationship.Policy
    ) throws(Failure) {
        var members: [(key: String, value: JSONValue)] = [
            ("entity", .string(target)), ("many", .bool(isMany)),
            ("byIdentity", .bool(isByIdentity)), ("policy", .string(policy.rawValue)),
        ]
        if let source { members.append(("source", try Self.source(source))) }
        let value = JSONValue.object(members)
        try change { reader throws(Failure) in
            let mapping = try self.mapping(entityName, reader)
            _ = try self.mapping(target, reader)
            try Self.refuse(name, of: mapping.entity)
            let node = DocumentNode(value: value, path: "$", problems: reader.problems)
            reader.addRelationship(name, to: mapping, node)
        }
    }

    /// Sets the attribute that identifies the objects of an entity; nil for none.
    package func setIdentity(_ name: String?, ofEntity entityName: String) throws(Failure) {
        try change { reader throws(Failure) in
            let mapping = try self.mapping(entityName, reader)
            var index: Int?
            if let name {
                let found = try mapping.entity.attribute(named: name)
                let type = mapping.entity.attributes[found].type
                guard type == .any || type == .int || type == .string else {
                    throw Failure(
                        .config, "an identity is of type int or string, \"\(name)\" is not",
                        field: name)
                }
                index = found
            }
            reader.setIdentity(index, of: mapping)
        }
    }

    private func mapping(
        _ name: String, _ reader: DocumentReader
    ) throws(Failure) -> EntityMapping {
        if let mapping = reader.definition.mappings[name] { return mapping }
        throw Failure(
            .unknownEntity, reader.unknown("entity", name, reader.definition.entityNames),
            field: name)
    }

    private static func refuse(_ name: String, of entity: Entity) throws(Failure) {
        guard entity.attributeIndex(named: name) != nil
            || entity.relationshipIndex(named: name) != nil
        else { return }
        throw Failure(.duplicate, "\(entity.name) has a \"\(name)\" already", field: name)
    }

    /// Reads a key path: its text, or the text of a JSON array of its keys.
    private static func source(_ text: String) throws(Failure) -> JSONValue {
        guard text.utf8.first == UInt8(ascii: "[") else { return .string(text) }
        do {
            return try JSONValue.parse(text)
        } catch {
            throw Failure(.config, details: [.init(path: "$.source", message: error.message)])
        }
    }

    private static func transform(_ text: String) throws(Failure) -> JSONValue {
        guard text.utf8.first == UInt8(ascii: "{") else { return .string(text) }
        do {
            return try JSONValue.parse(text)
        } catch {
            throw Failure(.config, details: [.init(path: "$.transform", message: error.message)])
        }
    }
}

/// A function of the program that sees the rows of a response before the store does and may add to
/// them. It is a question, so it runs on a worker. If it throws, the response is discarded.
package typealias Hook = @Sendable (MappedRows) throws(Failure) -> Void

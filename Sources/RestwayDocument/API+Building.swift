import RestwayJSON
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome

/// Builds entities through functions, until the api is frozen.
extension API {
    /// Registers a transform of the program.
    package func addTransform(_ name: String, _ transform: CustomTransform) throws(Failure) {
        try change { definition, _ throws(Failure) in
            guard ConversionReader.typesOfTransforms[name] == nil else {
                throw Failure(
                    .invalidArgument, "transform \"\(name)\" is built in", field: "name")
            }
            guard definition.functions.transforms[name] == nil else {
                throw Failure(.duplicate, "transform \"\(name)\" exists already", field: name)
            }
            definition.functions.transforms[name] = transform
        }
    }

    /// Registers a hook of the program, also when the api is frozen.
    package func addHook(_ name: String, _ hook: @escaping Hook) throws(Failure) {
        try addFunction(name, .hook) { $0.hooks[name] = hook }
    }

    /// Registers a validator of the program, also when the api is frozen.
    package func addValidator(
        _ name: String, _ validator: @escaping Validator
    ) throws(Failure) {
        try addFunction(name, .validator) { $0.validators[name] = validator }
    }

    /// Registers a parser of the program, also when the api is frozen.
    package func addParser(_ name: String, _ parser: @escaping BodyParser) throws(Failure) {
        guard case .function = ParserChoice(name: name) else {
            throw Failure(.invalidArgument, "parser \"\(name)\" is built in", field: "name")
        }
        try addFunction(name, .parser) { $0.parsers[name] = parser }
    }

    /// Registers an encoder of the program, also when the api is frozen.
    package func addEncoder(_ name: String, _ encoder: @escaping BodyEncoder) throws(Failure) {
        try addFunction(name, .encoder) { $0.encoders[name] = encoder }
    }

    /// Registers a modifier of the program, also when the api is frozen.
    package func addModifier(_ name: String, _ modifier: @escaping AskStage) throws(Failure) {
        try addFunction(name, .modifier) { $0.modifiers[name] = modifier }
    }

    /// Registers an interceptor of the program, also when the api is frozen.
    package func addInterceptor(
        _ name: String, _ interceptor: @escaping AskStage
    ) throws(Failure) {
        try addFunction(name, .interceptor) { $0.interceptors[name] = interceptor }
    }

    private func addFunction(
        _ name: String, _ kind: ProgramFunctions.Kind, _ add: (inout ProgramFunctions) -> Void
    ) throws(Failure) {
        try change(allowedWhenFrozen: true) { definition, _ throws(Failure) in
            guard !definition.functions.has(name, kind) else {
                throw Failure(
                    .duplicate, "\(kind.rawValue) \"\(name)\" exists already", field: name)
            }
            add(&definition.functions)
        }
    }

    /// Adds an attribute to an entity. `source` is a key path or the text of a JSON array of keys,
    /// `transform` is a name, or the text of a JSON object or array.
    package func addAttribute(
        _ name: String, toEntity entityName: String, source: String?, type: AttributeType,
        format: String?, transform: String?
    ) throws(Failure) {
        var members: [(key: String, value: JSONValue)] = [("type", .string(type.rawValue))]
        if let source { members.append(("source", try Self.value(source, opening: "[", "source"))) }
        if let format { members.append(("format", .string(format))) }
        if let transform {
            let opening: Unicode.Scalar = transform.utf8.first == UInt8(ascii: "[") ? "[" : "{"
            let value = try Self.value(transform, opening: opening, "transform")
            members.append(("transform", value))
        }
        let value = JSONValue.object(members)
        let addition = DocumentText.Addition.value(
            ["entities", entityName, "attributes", name], json: value.text())
        try change(value, adding: addition) { definition, node throws(Failure) in
            let mapping = try definition.entityCatalog.mapping(named: entityName)
            try Self.refuse(name, of: mapping.entity)
            let conversions = definition.entityCatalog.conversions
            var functions = definition.functions
            definition.change(mapping.entity, at: node) { parts in
                parts.addAttribute(name, node, conversions, &functions)
            }
            definition.functions = functions
        }
    }

    /// Adds a relationship to an entity.
    package func addRelationship(
        _ name: String, toEntity entityName: String, source: String?, target: String,
        isMany: Bool, isByIdentity: Bool, policy: Relationship.Policy
    ) throws(Failure) {
        var members: [(key: String, value: JSONValue)] = [
            ("entity", .string(target)), ("many", .bool(isMany)),
            ("policy", .string(policy.rawValue)),
        ]
        if isByIdentity { members.append(("byIdentity", .bool(true))) }
        if let source { members.append(("source", try Self.value(source, opening: "[", "source"))) }
        let value = JSONValue.object(members)
        let addition = DocumentText.Addition.value(
            ["entities", entityName, "relationships", name], json: value.text())
        try change(value, adding: addition) { definition, node throws(Failure) in
            let mapping = try definition.entityCatalog.mapping(named: entityName)
            if definition.entityCatalog.unions[target] == nil {
                _ = try definition.entityCatalog.mapping(named: target)
            }
            try Self.refuse(name, of: mapping.entity)
            let catalog = definition.entityCatalog
            definition.change(mapping.entity, at: node) { parts in
                parts.addRelationship(name, node, in: catalog, Set(parts.attributes.map(\.name)))
            }
            if definition.entityCatalog.hasCircle(through: name, of: mapping.entity) {
                throw Failure(.config, EntityCatalog.reasonAgainstCircles, field: name)
            }
        }
    }

    /// Sets the attribute that identifies the objects of an entity; nil takes the identity
    /// attribute away.
    ///
    /// - Parameter name: The name of the attribute, the text of a JSON array with the names of
    ///   several attributes, or `none` for one object at each path.
    package func setIdentity(_ name: String?, ofEntity entityName: String) throws(Failure) {
        if let name, name.utf8.first == UInt8(ascii: "[") {
            return try setIdentity(try Self.value(name, opening: "[", "attribute"), entityName)
        }
        let keys = ["entities", entityName, "identity"]
        let addition =
            name.map { DocumentText.Addition.value(keys, json: JSONValue.string($0).text()) }
            ?? .removal(keys)
        try change(adding: addition) { definition, node throws(Failure) in
            let mapping = try definition.entityCatalog.mapping(named: entityName)
            if let base = mapping.entity.baseName {
                throw Failure(
                    .config, "\(entityName) extends \(base), and shares its identity",
                    field: name ?? "identity")
            }
            let isNone =
                name == EntityParts.nameOfNoIdentity
                && mapping.entity.ownAttributeIndex(named: EntityParts.nameOfNoIdentity) == nil
            if let name, !isNone {
                let parts = definition.entityCatalog.parts[mapping.entity.index]
                _ = try mapping.entity.ownAttribute(named: name)
                let own = parts?.attributes.firstIndex { $0.name == name }
                if let reason = own.flatMap({ parts?.reasonAgainstIdentity($0) }) {
                    throw Failure(.config, reason, field: name)
                }
            }
            definition.change(mapping.entity, at: node) { parts in
                parts.identityIndex = parts.attributes.firstIndex { $0.name == name }
                parts.identityParts = isNone ? [] : nil
            }
        }
    }

    /// Sets the attributes that identify the objects of an entity together.
    private func setIdentity(_ names: JSONValue, _ entityName: String) throws(Failure) {
        let keys = ["entities", entityName, "identity"]
        let addition = DocumentText.Addition.value(keys, json: names.text())
        try change(names, adding: addition) { definition, node throws(Failure) in
            let mapping = try definition.entityCatalog.mapping(named: entityName)
            if let base = mapping.entity.baseName {
                throw Failure(
                    .config, "\(entityName) extends \(base), and shares its identity",
                    field: "identity")
            }
            definition.change(mapping.entity, at: node) { parts in
                parts.identityIndex = nil
                parts.readIdentity(node, nil)
            }
        }
    }

    /// Reads a key path, or the text of a JSON array of keys.
    package static func keyPath(_ text: String) throws(Failure) -> [String] {
        let problems = DocumentProblems()
        let value: JSONValue
        do throws(Failure) {
            value = try Self.value(text, opening: "[", "key_path")
        } catch {
            throw Failure(.invalidArgument, error.message, field: "key_path")
        }
        let keys = value.withTree { DocumentNode(value: $0, problems: problems).keyPath() }
        guard let keys else {
            let why = problems.details.first?.message ?? "it is no key path"
            throw Failure(.invalidArgument, "the key path: \(why)", field: "key_path")
        }
        return keys
    }

    private static func refuse(_ name: String, of entity: Entity) throws(Failure) {
        // An attribute of another entity of the family may be added if both agree on it.
        guard entity.ownAttributeIndex(named: name) != nil
            || entity.ownRelationshipIndex(named: name) != nil
        else { return }
        throw Failure(.duplicate, "\(entity.name) has a \"\(name)\" already", field: name)
    }

    /// Returns a text as JSON: parsed if it starts with `opening`, or else as a string.
    private static func value(
        _ text: String, opening: Unicode.Scalar, _ member: String
    ) throws(Failure) -> JSONValue {
        guard text.utf8.first == UInt8(ascii: opening) else { return .string(text) }
        do {
            return try JSONValue.parse(text)
        } catch {
            throw Failure(.config, details: [.init(path: "$.\(member)", message: error.message)])
        }
    }
}

/// A function of the program that sees the rows of a response before the store does and may add to
/// them. It is a question, so it runs on a worker. If it throws, the response is discarded.
package typealias Hook = @Sendable (MappedRows) throws(Failure) -> Void

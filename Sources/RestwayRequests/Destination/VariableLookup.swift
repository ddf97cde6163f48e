import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayStore
import RestwayText

/// Finds the values of a template's variables: first the caller's values, then the subject's
/// attributes, then what the subject remembers of the route that brought it, then the values of the
/// scope.
struct VariableLookup {
    /// An object or a draft that the lookup has reached.
    private enum Place {
        case object(Snapshot)
        case member(DraftCapture, Int)

        init(_ subject: EncodingSubject) {
            self =
                switch subject {
                case .object(let object): .object(object)
                case .draft(let draft): .member(draft, 0)
                }
        }

        var entity: Entity {
            switch self {
            case .object(let object): object.entity
            case .member(let draft, let index): draft.members[index].entity
            }
        }

        /// The store key; 0 if no store knows the object.
        var storeKey: Int64 {
            switch self {
            case .object(let object): object.keyInStore
            case .member(let draft, let index): draft.members[index].storeKey
            }
        }

        func value(at index: Int) -> Value {
            switch self {
            case .object(let object): object.value(at: index)
            case .member(let draft, let member): draft.members[member].values[index]
            }
        }
    }

    let context: any RequestContext
    let api: LoadedAPI
    /// The local identities of objects that the server has not named; `nil` without an outbox.
    let identities: (any LocalIdentities)?
    /// The values that the caller gives to this request.
    let own: [String: RequestSpec.Variable]
    /// The values for variables that have no value otherwise.
    let scope: [String: RequestSpec.Variable]
    let subject: EncodingSubject?
    /// Whether the identity of the subject is the one that the store has, and not the one of an
    /// older snapshot.
    private var usesPresentIdentity = false

    init(
        context: any RequestContext, api: LoadedAPI, identities: (any LocalIdentities)?,
        own: [String: RequestSpec.Variable], scope: [String: RequestSpec.Variable],
        subject: EncodingSubject?
    ) {
        self.context = context
        self.api = api
        self.identities = identities
        self.own = own
        self.scope = scope
        self.subject = subject
    }

    /// Returns the path of a route.
    func expand(_ route: Route) throws -> String {
        try refuseUnknown(route.template.variableNames, of: "route \"\(route.displayName)\"")
        var lookup = self
        lookup.usesPresentIdentity = api.definition.settings(of: route).answers.renames
        return try route.template.expand(
            absolute: route.isAbsolute, isData: isData, lookup.value)
    }

    /// Returns a path that the caller gives. It may have no variables that the caller names, but
    /// the route that handles the request has.
    func expand(path: String, isTemplate: Bool, handledBy route: Route?) throws -> String {
        let template = isTemplate ? try PathTemplate(path) : nil
        let known = (template?.variableNames ?? []) + (route?.template.variableNames ?? [])
        try refuseUnknown(known, of: route.map { "route \"\($0.displayName)\"" } ?? "the path")
        return try template?.expand(isData: isData, value) ?? path
    }

    /// Refuses a variable of the caller that the path does not have.
    ///
    /// - Parameter place: The path or the route, as a message names it.
    private func refuseUnknown(_ known: [String], of place: String) throws(Failure) {
        guard !own.isEmpty else { return }
        for name in own.keys.sorted() {
            // The caller may give the object of `meeting.itemID` as "meeting".
            let isKnown = known.contains { known in
                known == name || known.utf8.starts(with: "\(name).".utf8)
            }
            if isKnown { continue }
            let hint = NearestName.hint(for: name, in: known)
            throw Failure(
                .invalidArgument, "\(place) has no variable \"\(name)\"\(hint)", field: name)
        }
    }

    /// Returns the values of the variables in the path of a route, for a request whose own path
    /// need not have them.
    func values(of route: Route) -> [String: String] {
        var found: [String: String] = [:]
        for name in route.template.pathVariableNames {
            if case .string(let text)? = value(name) { found[name] = text }
        }
        return found
    }

    /// Whether the value of a variable is not the caller's own text for this request: it comes
    /// from an attribute, from what an object remembers, or from the scope.
    private func isData(_ name: String) -> Bool {
        if case .value? = own[name] { false } else { true }
    }

    func value(_ name: String) -> VariableValue? {
        if let given = value(name, in: own) { return given }
        if let subject {
            if usesPresentIdentity, let value = presentIdentity(name, of: subject) { return value }
            if let value = value(name, of: Place(subject)) { return value }
            if subject.storeKey != 0, let value = remembered(subject)?[name] {
                return .string(value)
            }
        }
        return value(name, in: scope) ?? nil
    }

    /// Returns the identity that the store has for the subject; `nil` if a variable does not stand
    /// for the identity, or if the store has none.
    private func presentIdentity(_ name: String, of subject: EncodingSubject) -> VariableValue? {
        let entity = subject.entity
        guard subject.storeKey != 0, let index = entity.attributeIndex(ofVariable: name),
            entity.isIdentity(attribute: index),
            let object = try? context.store.newest(entity, storeKey: subject.storeKey),
            let text = Self.text(object.value(at: index))
        else { return nil }
        identities?.noteNamed(entity, subject.storeKey)
        return .string(text)
    }

    /// Returns the value in a set of variables; `nil` if the set has no such variable, and a
    /// missing value for a variable that is null.
    private func value(
        _ name: String, in variables: [String: RequestSpec.Variable]
    ) -> VariableValue?? {
        if variables.isEmpty { return nil }
        switch variables[name] {
        case .value(let value): return .some(value)
        case .null: return .some(nil)
        case .object, nil: break
        }
        // In `meeting.itemID`, the caller gave an object as "meeting".
        guard let dot = name.firstIndex(of: "."),
            case .object(let given)? = variables[String(name[..<dot])]
        else { return nil }
        return .some(value(String(name[name.index(after: dot)...]), of: .object(given)))
    }

    /// Returns an attribute, or an attribute of an object to which a to-one relationship leads.
    private func value(_ name: String, of place: Place) -> VariableValue? {
        if let index = place.entity.attributeIndex(ofVariable: name) {
            if let text = Self.text(place.value(at: index)) {
                if place.entity.isIdentity(attribute: index) {
                    identities?.noteNamed(place.entity, place.storeKey)
                }
                return .string(text)
            }
            if place.entity.isIdentity(attribute: index), place.storeKey != 0 {
                let part = identities?.valueInPath(
                    place.entity, place.storeKey, attribute: index)
                return part.flatMap(Self.text).map { .string($0) }
            }
            // A declared attribute has the value only after a request with this variable.
            if place.entity.attributes[index].name == name { return nil }
        }
        guard let dot = name.firstIndex(of: "."),
            let index = place.entity.relationshipIndex(named: String(name[..<dot])),
            let linked = linked(place, index)
        else { return nil }
        return value(String(name[name.index(after: dot)...]), of: linked)
    }

    private func linked(_ place: Place, _ index: Int) -> Place? {
        let relationship = place.entity.relationships[index]
        let key: Int64
        switch place {
        case .object(let object):
            guard case .link(let link) = object.value(at: object.entity.attributes.count + index)
            else { return nil }
            if let unkept = object.unkeptObjects?.object(link) { return .object(unkept) }
            key = link
        case .member(let draft, let member):
            guard case .one(let link) = draft.members[member].links[index] else { return nil }
            switch link {
            case .member(let other): return .member(draft, other)
            case .key(let link): key = link
            }
        }
        return newest(relationship, place.entity, key).map { .object($0) }
    }

    /// Returns the object to which a relationship of an entity leads. An object that cannot be read
    /// counts as missing: the error names the variable.
    private func newest(
        _ relationship: Relationship, _ entity: Entity, _ key: Int64
    ) -> Snapshot? {
        let mappings = api.definition.entityMappings
        let targets = relationship.targets.compactMap { index in
            mappings.indices.contains(index) ? mappings[index].entity : nil
        }
        let known = targets.filter { entity.links(relationship, to: $0) }
        return try? context.store.newest(anyOf: known, storeKeys: [key]).first
    }

    /// Returns what an object remembers of the route that brought it. A store that cannot be read
    /// counts as one that remembers nothing: the error names the variable.
    private func remembered(_ subject: EncodingSubject) -> RouteVariables? {
        try? context.store.variables(subject.entity, storeKey: subject.storeKey)
    }

    /// The attribute as a path writes it; `nil` for a value that a path cannot hold.
    private static func text(_ value: Value) -> String? {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .int64(let value): String(value)
        case .double(let value): "\(value)"
        case .date(let value): DateFormat.iso8601.format(value)
        case .string(let value): value
        case .absent, .null, .bytes, .json, .link, .links: nil
        }
    }
}

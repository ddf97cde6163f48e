import RestwayDocument
import RestwayMapping
import RestwayObjects
package import RestwayOutcome
import RestwayRouting
import RestwayText

/// The objects that a program wants to read from an answer into a type of its own.
package struct WantedObjects: Sendable {
    /// The name of the type, for messages.
    package var type: String
    /// The attributes and relationships without which no value of the type can be made.
    package var names: [String] = []
    /// The entity of the objects; `nil` for any entity.
    package var entity: String?
    /// Whether the type can also be read from an answer without objects, such as JSON or a text.
    package var mayBeValue: Bool

    package init(
        type: String, names: [String] = [], entity: String? = nil, mayBeValue: Bool = false
    ) {
        self.type = type
        self.names = names
        self.entity = entity
        self.mayBeValue = mayBeValue
    }

    /// Returns what keeps objects of `entity` from being read; `nil` if nothing does.
    fileprivate func obstacle(in entity: Entity) -> (words: String, field: String)? {
        // The entities that extend each other have the attributes of all of them: an object may be
        // of any of them.
        let family = entity.shape.family
        if let wanted = self.entity, !family.members.contains(where: { $0.name == wanted }) {
            return (entity.name, wanted)
        }
        let known = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        guard let name = names.first(where: { !known.contains($0) }) else { return nil }
        let hint = NearestName.hint(for: name, in: known)
        return ("\(entity.name), which has no attribute or relationship \"\(name)\"\(hint)", name)
    }
}

extension RequestPreparation {
    /// Checks a request before it is sent.
    ///
    /// - Throws: A failure that says what the answer gives, if it is known already that the wanted
    ///   objects cannot be read from it; also a failure of finding the route, as when it is sent.
    package func check(_ spec: RequestSpec, gives wanted: WantedObjects) throws(Failure) {
        try Failure.wrapping("checking a request") {
            let subject = try submission(spec)?.subject
            let destination = try destination(of: spec, about: subject)
            try check(spec, destination, gives: wanted)
        }
    }

    private func check(
        _ spec: RequestSpec, _ destination: RequestDestination, gives wanted: WantedObjects
    ) throws(Failure) {
        guard let (given, field) = try obstacle(spec, destination, wanted) else { return }
        let name = destination.route.map { "the route \"\($0.displayName)\"" }
            ?? "\(destination.method.rawValue) \(destination.path ?? "")"
        throw Failure(
            .mapping, "\(wanted.type) cannot be read from the answers to \(name): \(given)",
            field: field)
    }

    /// Returns what the answers give in place of the wanted objects; `nil` if they may give them.
    private func obstacle(
        _ spec: RequestSpec, _ destination: RequestDestination, _ wanted: WantedObjects
    ) throws(Failure) -> (words: String, field: String?)? {
        let settings = api.definition.settings(of: destination.route)
        let place = try BodyDestination.of(
            spec, settings, destination.method, saveBytesMax: Int64(context.options.saveBytesMax))
        switch place {
        case .memory: break
        case .file, .descriptor: return ("their bodies are saved in a file", place.field)
        case .receiver: return ("their bodies are streamed", place.field)
        case .events: return ("they are event streams", place.field)
        }
        let parser = spec.reception.parser.map(ParserChoice.init(name:))
            ?? settings.body.answers.parser
        guard parser == .objects else {
            let isDropped = parser == .headers || parser == .nothing
            if wanted.mayBeValue, !isDropped { return nil }
            return ("the parser \"\(parser.name)\" reads them", "parse")
        }
        let choice = destination.descriptorChoice
        let descriptors = api.successDescriptors(destination.method, choice)
        if descriptors.isEmpty, wanted.mayBeValue { return nil }
        if descriptors.isEmpty { return ("the API document maps nothing of them", nil) }
        let entities = descriptors.flatMap { self.entities(of: $0) }
        if entities.isEmpty {
            if wanted.mayBeValue { return nil }
            return ("the API document maps them to a value, not to objects", nil)
        }
        var first: (words: String, field: String?)?
        for entity in entities {
            guard let obstacle = wanted.obstacle(in: entity) else { return nil }
            first = first ?? ("the API document maps them to " + obstacle.words, obstacle.field)
        }
        return first
    }

    /// Returns the entities of which the objects of a descriptor may be.
    private func entities(of descriptor: ResponseDescriptor) -> [Entity] {
        if descriptor.valueConversion != nil { return [] }
        guard let union = descriptor.union else { return [descriptor.mapping.entity] }
        return union.members.map { api.definition.entities[$0] }
    }
}

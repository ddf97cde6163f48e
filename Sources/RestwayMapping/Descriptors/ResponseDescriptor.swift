import RestwayObjects
package import RestwayRouting
package import RestwayText

/// Describes which mapping applies to which responses, and to which part of them.
///
/// It is a class because each response looks at several descriptors, and no descriptor ever
/// changes.
package final class ResponseDescriptor: Sendable {
    /// The methods; empty for any method.
    package let methods: [Method]
    /// The path template; nil for any path.
    package let template: PathTemplate?
    package let statuses: StatusRange
    /// The keys that lead to the object or list of objects; empty for the whole body.
    package let keyPath: [String]
    /// The mapping of the objects; a mapping without attributes if the answer is a value, and the
    /// mapping of the first member if the objects are of a union.
    package let mapping: EntityMapping
    /// The union whose members the objects are of; nil for objects of one entity.
    package let union: EntityUnion?
    /// Converts the value of an answer that holds no objects; nil for an answer that holds objects.
    package let valueConversion: ValueConversion?
    /// The key of the route that owns this descriptor. Requests by other routes never use it.
    package let routeKey: String?
    /// The name of the host's hook, which receives the rows before the store does.
    package let hook: String?
    /// Whether a body that has nothing at the key path cannot be mapped.
    package let isRequired: Bool
    /// The bodies to which this descriptor applies.
    private let bodies: (event: String?, mediaTypes: [MediaRange])
    /// The name of the relationship whose links the answer holds; nil for an answer that holds
    /// objects or a value. The answer then counts as the object that has the relationship.
    package let relationship: String?
    /// Whether the store takes the objects.
    package let keepsObjects: Bool
    /// The methods as a set, because each response checks them more than once.
    package let methodSet: MethodSet

    package init(
        methods: [Method] = [], template: PathTemplate? = nil, statuses: StatusRange = .success,
        keyPath: [String] = [], mapping: EntityMapping, routeKey: String? = nil,
        hook: String? = nil, event: String? = nil, isRequired: Bool = false,
        valueConversion: ValueConversion? = nil, mediaTypes: [MediaRange] = [],
        union: EntityUnion? = nil, relationship: String? = nil, keepsObjects: Bool = true
    ) {
        self.keepsObjects = keepsObjects
        self.relationship = relationship
        bodies = (event, mediaTypes)
        self.valueConversion = valueConversion
        self.union = union
        self.methods = methods
        methodSet = methods.isEmpty ? .answeringWithObjects : MethodSet(methods)
        self.template = template
        self.statuses = statuses
        self.keyPath = keyPath
        self.mapping = relationship.map { mapping.ofLinks($0) } ?? mapping
        self.routeKey = routeKey
        self.hook = hook
        self.isRequired = isRequired
    }

    /// The name of the events of an event stream to which this descriptor applies; nil for whole
    /// bodies, and for events of any name.
    package var event: String? { bodies.event }
    /// The media types of the answers; empty for answers of any type.
    package var mediaTypes: [MediaRange] { bodies.mediaTypes }

    /// Returns a copy of this descriptor with another mapping.
    package func with(_ mapping: EntityMapping) -> ResponseDescriptor {
        ResponseDescriptor(
            methods: methods, template: template, statuses: statuses, keyPath: keyPath,
            mapping: mapping, routeKey: routeKey, hook: hook, event: event,
            isRequired: isRequired, valueConversion: valueConversion, mediaTypes: mediaTypes,
            union: union, relationship: relationship, keepsObjects: keepsObjects)
    }

    /// How specifically the descriptor names the media type of an answer; 0 if it names no type,
    /// `nil` if it names other types.
    ///
    /// - Parameter mediaType: The type; `nil` for an answer without a type.
    package func rank(of mediaType: MediaRange?) -> Int? {
        if mediaTypes.isEmpty { return 0 }
        // An answer without a type is named by the range of all types alone.
        return mediaTypes.compactMap { $0.rank(of: mediaType ?? MediaRange("")) }.max()
    }

    /// Whether this descriptor may apply to an answer with `status`. The answer is false if a
    /// descriptor with a more specific template applies.
    ///
    /// - Parameter event: The name of the event of an event stream; nil for a whole body.
    package func fits(
        method: Method, status: Int, _ choice: DescriptorChoice, event: String? = nil
    ) -> Bool {
        statuses.contains(status) && methodSet.contains(method)
            && (self.event == nil || self.event == event) && choice.fits(template, of: routeKey)
    }

    /// The properties that tell whether two descriptors of one document are duplicates: they apply
    /// to the same answers and map them in the same way. The route that owns a descriptor does not
    /// count if the descriptor has a path.
    package struct Essence: Hashable, Sendable {
        fileprivate let methods: MethodSet
        fileprivate let shape: PathTemplate.Shape?
        fileprivate let routeKey: String?
        fileprivate let statuses: StatusRange
        fileprivate let keyPath: [String]
        fileprivate let entities: [Int]
        fileprivate let event: String?
        fileprivate let mediaTypes: Set<MediaRange>
    }

    package var essence: Essence {
        Essence(
            methods: methodSet, shape: template?.shape,
            routeKey: template == nil ? routeKey : nil, statuses: statuses, keyPath: keyPath,
            entities: union?.members ?? [mapping.entity.index], event: event,
            mediaTypes: Set(mediaTypes))
    }
}

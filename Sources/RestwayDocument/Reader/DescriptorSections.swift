import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayText

/// A response descriptor as a document declares it: the keys that `response` of a route and an
/// entry of `responses` have in common.
struct DocumentResponse {
    /// The keys of an answer that is a value and no object.
    static let keysOfValue = ["type", "format", "transform"]
    /// The properties that the response of a route has from its route.
    static let keysOfRoute = [
        "method": "the response of a route is for all methods of the route; an entry of "
            + "\"responses\" can name a method",
        "path": "the response of a route is for the path of the route; an entry of \"responses\" "
            + "has a path of its own",
    ]

    let node: DocumentNode
    let content: Content
    let keyPath: [String]
    let statuses: StatusRange
    /// The node of the hook's name.
    let hook: DocumentNode?
    /// The name of the events to which the descriptor applies; `nil` for all events.
    let event: String?
    /// Whether it is an error if the body has nothing at the key path.
    let isRequired: Bool
    let mediaTypes: [MediaRange]
    /// Whether the store takes the objects.
    let keepsObjects: Bool
    /// The relationship whose links the answer holds; `nil` for other answers.
    let relationship: String?

    /// The content that a descriptor finds in an answer.
    enum Content {
        /// Objects of one entity, or of the members of a union, the first of which has the mapping.
        case objects(EntityMapping, EntityUnion?)
        /// A value. The functions of the program that its conversion calls stand at `place`.
        case value(ValueConversion, place: DocumentPlace)
    }

    init?(_ object: DocumentNode, _ entities: EntityCatalog) {
        node = object
        hook = object["hook"].flatMap { $0.nonEmptyString() == nil ? nil : $0 }
        event = object["event"]?.nonEmptyString()
        isRequired = object["required"]?.bool() ?? false
        keepsObjects = object["keep"]?.bool() ?? true
        let mediaTypes = object["mediaType"]?.mediaTypes()
        self.mediaTypes = mediaTypes?.map(MediaRange.init) ?? []
        let statuses = object["status"].map { $0.statuses() } ?? .success
        let content = Self.content(object, entities)
        var usual: [String] = []
        if case .objects(let mapping, _)? = content { usual = mapping.usualKeyPath }
        let keyPath = object["keyPath"].map { $0.keyPath() } ?? usual
        // With a guess in place of a problem, it could seem to equal another descriptor.
        guard let content, let keyPath, let statuses, mediaTypes?.isEmpty != true else {
            return nil
        }
        self.content = content
        self.keyPath = keyPath
        self.statuses = statuses
        relationship = nil
    }

    /// The answers of a relationship endpoint.
    init(_ endpoint: RelationshipEndpoint, _ node: DocumentNode) {
        self.node = node
        hook = nil
        event = nil
        isRequired = false
        mediaTypes = []
        keepsObjects = true
        content = .objects(endpoint.owner, nil)
        keyPath = []
        statuses = .success
        relationship = endpoint.name
    }
}

extension APIDefinition {
    /// Adds an entry of `responses`.
    mutating func addResponse(_ node: DocumentNode) {
        guard let object = node.objectWithName(.response) else { return }
        let methods = object["method"]?.methods() ?? []
        let template = object["path"]?.template()
        guard let response = DocumentResponse(object, entityCatalog),
            template != nil || object["path"] == nil
        else { return }
        add(response, methods: methods, template: template, routeKey: nil)
    }

    /// Adds a descriptor to its route or, if it has no route, to the descriptors for paths.
    mutating func add(
        _ response: DocumentResponse, methods: [Method], template: PathTemplate?, routeKey: String?
    ) {
        let hook = response.hook?.value.string
        if let hook, let place = response.hook?.place { functions.mention(hook, .hook, at: place) }
        let descriptor: ResponseDescriptor
        switch response.content {
        case .objects(let mapping, let union):
            descriptor = ResponseDescriptor(
                methods: methods, template: template, statuses: response.statuses,
                keyPath: response.keyPath, mapping: mapping, routeKey: routeKey,
                hook: hook, event: response.event, isRequired: response.isRequired,
                mediaTypes: response.mediaTypes, union: union,
                relationship: response.relationship, keepsObjects: response.keepsObjects)
        case .value(let conversion, let place):
            functions.mention(conversion, at: place)
            descriptor = ResponseDescriptor(
                value: conversion, methods: methods, template: template,
                statuses: response.statuses, keyPath: response.keyPath, routeKey: routeKey,
                isRequired: response.isRequired, mediaTypes: response.mediaTypes)
        }
        rules.add(descriptor, at: response.node)
    }
}

extension RequestDescriptor {
    /// - Parameter entity: The entity of the request if the request does not name an entity.
    fileprivate init?(
        _ object: DocumentNode, methods: [Method], entity: DocumentNode?,
        in entities: EntityCatalog
    ) {
        if let method = methods.first(where: \.hasNoBody) {
            (object["method"] ?? object).report("a \(method.rawValue) request has no body")
        }
        let keepsNulls = object["nulls"]?.choice(["keep", "omit"], "rule for nulls") != "omit"
        let isChangedOnly = object["changedOnly"]?.bool() ?? false
        let named = object["entity"] ?? entity
        if named == nil {
            object.report("neither the request nor its route names an \"entity\"")
        }
        let mapping = named.flatMap(entities.mapping)
        var excluded: Set<String> = []
        for node in object["exclude"]?.elements() ?? [] {
            guard let name = node.nonEmptyString() else { continue }
            excluded.insert(name)
            if let entity = mapping?.entity, entity.attributeIndex(named: name) == nil,
                entity.relationshipIndex(named: name) == nil
            {
                let known = entity.attributes.map(\.name) + entity.relationships.map(\.name)
                node.reportUnknown("attribute or relationship", name, among: known)
            }
        }
        var keyPath = mapping?.usualKeyPath ?? []
        object.read("keyPath", into: &keyPath) { $0.keyPath() }
        guard let mapping else { return nil }
        self.init(
            methods: methods, mapping: mapping, keyPath: keyPath, excluded: excluded,
            keepsNulls: keepsNulls, isChangedOnly: isChangedOnly)
    }

    /// Reads one request of a route. The route's path and key are set when the route is added.
    ///
    /// - Parameter entity: The entity of the route.
    init?(
        ofRoute node: DocumentNode, methods routeMethods: [Method], entity: DocumentNode?,
        in entities: EntityCatalog
    ) {
        guard let object = node.objectWithName(.routeRequest) else { return nil }
        let usual = routeMethods.filter { !$0.parametersGoIntoQuery }
        let methods = object["method"].map { $0.methods() } ?? usual
        if let method = object["method"],
            let stranger = methods.first(where: { !routeMethods.contains($0) })
        {
            method.report("\(stranger.rawValue) is no method of the route")
        }
        if methods.isEmpty, object["method"] == nil {
            node.report("no method of the route has a body by itself; name one with \"method\"")
        }
        self.init(object, methods: methods, entity: entity, in: entities)
    }
}

extension APIDefinition {
    /// Adds an entry of `requests`.
    mutating func addRequest(_ node: DocumentNode) {
        guard let object = node.objectWithName(.request) else { return }
        let methods = object["method"].map { $0.methods() } ?? []
        let template = object.required("path")?.template()
        let parameters = object["parameters"]?.parameters()
        var descriptor: RequestDescriptor?
        if object["entity"] != nil {
            descriptor = RequestDescriptor(
                object, methods: methods, entity: nil, in: entityCatalog)
        } else {
            if object["parameters"] == nil {
                node.report("says nothing: \"parameters\" or \"entity\" is missing")
            }
            // The request of a route is about objects alone.
            for key in DocumentObject.routeRequest.keys where key != "method" {
                object[key]?.report("stands without \"entity\", which it is about")
            }
        }
        guard let template else { return }
        if let parameters {
            rules.requestDefaults.append(
                RequestDefaults(methods: methods, template: template, parameters: parameters))
        }
        if var descriptor {
            descriptor.template = template
            rules.add(descriptor, at: node)
        }
    }
}

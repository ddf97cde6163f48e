import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The key `pages` of a route.
extension PageRules {
    /// The keys that say how pages follow each other. A route has one of them.
    private static let steps = ["next", "nextURL", "cursor", "last", "page", "offset"]

    /// - Parameters:
    ///   - route: The route.
    ///   - methods: The methods of the route.
    convenience init?(
        ofRoute route: DocumentNode, _ methods: [Method], _ entities: EntityCatalog
    ) {
        guard let node = route["pages"], let object = node.object(.pages) else { return nil }
        let named = Self.steps.filter { object[$0] != nil }
        let usual = entities.resources.isUsed ? "nextURL" : nil
        guard let kind = named.first ?? usual else {
            node.report(
                "does not say how the pages follow each other: it needs one of "
                    + Self.steps.joined(separator: ", "))
            return nil
        }
        for other in named.dropFirst() {
            object[other]?.report("contradicts \"\(kind)\": pages follow each other in one way")
        }
        Self.reportContradictions(object, kind, route, methods)
        let step = Self.step(kind, object, route, entities)
        let size = Self.size(object)
        let more = object["more"]?.keyPath()
        let total = object["total"].flatMap(Place.init)
        let start = object["start"].flatMap(Place.init)
        let endStatuses: [Int]? = object["endStatus"]?.oneOrMany().compactMap {
            $0.integer(in: object.range("endStatus"))
        }
        guard let step else { return nil }
        self.init(
            step, size: size, more: more, total: total, start: start,
            endStatuses: endStatuses ?? [])
        reportIgnored(route)
    }

    /// Reports a cache that would take all pages for one.
    private func reportIgnored(_ route: DocumentNode) {
        guard let ignored = route["cacheIgnoreQueryParameters"] else { return }
        let names = ignored.value.elements?.compactMap(\.string) ?? []
        let isIgnored = parameter.map { names.contains($0) } ?? false
        guard ignored.value.bool == true || isIgnored else { return }
        ignored.report("contradicts \"pages\": the pages differ in parameters of their query")
    }

    private static func step(
        _ kind: String, _ object: DocumentNode, _ route: DocumentNode, _ entities: EntityCatalog
    ) -> Step? {
        switch kind {
        case "next":
            return object["next"]?.choice(["link"], "place of the next URL").map { _ in .link }
        case "nextURL":
            let keyPath = object["nextURL"].map { $0.keyPath() } ?? JSONAPI.nextPage
            return keyPath.map { .url(keyPath: $0) }
        case "cursor":
            let keyPath = object["cursor"]?.keyPath()
            let parameter = object.required("parameter")?.nonEmptyString()
            guard let keyPath, let parameter else { return nil }
            return .cursor(keyPath: keyPath, parameter: parameter)
        case "last":
            let attribute = object["last"].flatMap { knownAttribute($0, route, entities) }
            let parameter = object.required("parameter")?.nonEmptyString()
            guard let attribute, let parameter else { return nil }
            return .last(attribute: attribute, parameter: parameter)
        case "page":
            let first = first(object, usually: 1)
            return object["page"]?.nonEmptyString().map { .number(parameter: $0, first: first) }
        default:
            let first = first(object, usually: 0)
            return object["offset"]?.nonEmptyString().map { .offset(parameter: $0, first: first) }
        }
    }

    /// Reads the name of an attribute, which the objects of the route's pages have.
    private static func knownAttribute(
        _ node: DocumentNode, _ route: DocumentNode, _ entities: EntityCatalog
    ) -> String? {
        guard let name = node.nonEmptyString() else { return nil }
        if route["response"]?.oneOrMany().first?["type"] != nil {
            return node.refuse(
                "contradicts \"type\": the pages are of values, which have no attributes")
        }
        // The objects of a page are those of the first descriptor. Without a descriptor of its own,
        // the route takes the descriptors that fit its path, which may stand anywhere.
        guard let response = route["response"]?.oneOrMany().first,
            let entity = response["entity"]?.value.string.flatMap({ entities[$0] })?.entity
        else { return name }
        let names = entity.attributes.map(\.name)
        if names.contains(name) { return name }
        node.reportUnknown("attribute", name, among: names)
        return nil
    }

    private static func first(_ object: DocumentNode, usually: Int64) -> Int64 {
        object.number("first") ?? usually
    }

    private static func size(_ object: DocumentNode) -> Size? {
        guard object["size"] != nil || object["pageSize"] != nil else { return nil }
        let parameter = object.required("size")?.nonEmptyString()
        let count: Int64? = object.required("pageSize")?.integer(in: object.range("pageSize"))
        guard let parameter, let count else { return nil }
        return Size(parameter: parameter, count: count)
    }

    private static func reportContradictions(
        _ object: DocumentNode, _ kind: String, _ route: DocumentNode, _ methods: [Method]
    ) {
        if kind != "cursor", kind != "last" {
            object["parameter"]?.report(
                "contradicts \"\(kind)\": only \"cursor\" and \"last\" have a parameter beside "
                    + "them")
        }
        if kind != "page", kind != "offset" {
            object["first"]?.report(
                "contradicts \"\(kind)\": only \"page\" and \"offset\" begin with a number")
        }
        let place = route["pages"]
        if route["stream"] != nil {
            place?.report("contradicts \"stream\": an event stream has no pages")
        }
        if route["saveAsResource"]?.value.bool == true {
            place?.report("contradicts \"saveAsResource\": the objects of pages are read")
        }
        let isByURL = kind == "next" || kind == "nextURL"
        let allowed: [Method] = isByURL ? [.get] : [.get, .post]
        guard !methods.isEmpty, !methods.contains(where: { allowed.contains($0) }) else { return }
        place?.report(
            isByURL
                ? "contradicts the methods: the next URL is requested with GET"
                : "contradicts the methods: pages are requested with GET or POST")
    }
}

extension PageRules.Place {
    /// Reads a key path, or `{"header": "X-Total-Count"}`.
    init?(_ node: DocumentNode) {
        guard node.value.kind == .object else {
            guard let keyPath = node.keyPath() else { return nil }
            self = .keyPath(keyPath)
            return
        }
        guard let name = node.object(.headerPlace)?.required("header"),
            let text = name.nonEmptyString(), name.checkHeaderName(text)
        else { return nil }
        self = .header(text)
    }
}

extension AnswerSettings {
    /// Reads what a route says about its answers.
    init(ofRoute route: DocumentNode, _ methods: [Method], _ entities: EntityCatalog) {
        self.init()
        route.read("saveAsResource", into: &areSaved) { $0.bool() }
        route.read("renames", into: &renames) { $0.bool() }
        stream = route["stream"]?.choice("format of event streams")
        pages = PageRules(ofRoute: route, methods, entities)
    }
}

public import CRestway
import RestwayDocument
import RestwayOutcome
import RestwayThreads

/// An api with the texts that were read from it.
final class APIHandle: TextLender, Sendable {
    let api: API
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ api: API) {
        self.api = api
    }
}

// api.h

@_cdecl("restway_api_load") @implementation
public func restway_api_load(
    _ json: CString?, _ length: Int, _ outAPI: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outAPI, outError, "out_api") { () throws(Failure) in
        APIHandle(try API(document: try Argument.json(json, length)))
    }
}

@_cdecl("restway_api_load_file") @implementation
public func restway_api_load_file(
    _ path: CString?, _ outAPI: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outAPI, outError, "out_api") { () throws(Failure) in
        APIHandle(try API(file: try Argument.nonEmptyString(path, "path")))
    }
}

@_cdecl("restway_api_check") @implementation
public func restway_api_check(
    _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        _ = try API(document: try Argument.json(json, length))
    }
}

@_cdecl("restway_api_add_entity") @implementation
public func restway_api_add_entity(
    _ api: InHandle, _ name: CString?, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try APIHandle.argument(api).api.addEntity(
            try Argument.nonEmptyString(name, "name"), try Argument.json(json, length))
    }
}

@_cdecl("restway_api_add_route") @implementation
public func restway_api_add_route(
    _ api: InHandle, _ name: CString?, _ json: CString?, _ length: Int, _ flags: UInt32,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let name = name == nil ? nil : try Argument.nonEmptyString(name, "name")
        try APIHandle.argument(api).api.addRoute(
            name, try Argument.json(json, length), replaces: try replaces(flags))
    }
}

@_cdecl("restway_api_add_response") @implementation
public func restway_api_add_response(
    _ api: InHandle, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try APIHandle.argument(api).api.addResponse(try Argument.json(json, length))
    }
}

@_cdecl("restway_api_add_request") @implementation
public func restway_api_add_request(
    _ api: InHandle, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try APIHandle.argument(api).api.addRequest(try Argument.json(json, length))
    }
}

@_cdecl("restway_api_join_routes") @implementation
public func restway_api_join_routes(
    _ api: InHandle, _ name: CString?, _ parent: CString?, _ child: CString?, _ flags: UInt32,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try APIHandle.argument(api).api.joinRoutes(
            try Argument.nonEmptyString(name, "name"),
            parent: try Argument.nonEmptyString(parent, "parent"),
            child: try Argument.nonEmptyString(child, "child"), replaces: try replaces(flags))
    }
}

@_cdecl("restway_api_route_property") @implementation
public func restway_api_route_property(
    _ api: InHandle, _ route: CString?, _ property: CString?, _ outJSON: Out<CString?>?,
    _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    outJSON?.pointee = nil
    outLength?.pointee = 0
    return APIHandle.using(api, outError) { handle throws(Failure) in
        let route = try Argument.nonEmptyString(route, "route")
        let property = try Argument.nonEmptyString(property, "property")
        let outJSON = try Argument.out(outJSON, "out_json")
        let json = try handle.api.property(property, ofRoute: route)
        // NUL separates the two names, because a route's name may hold any other character.
        outJSON.pointee = handle.texts.pointer("\(route)\0\(property)") { json }
        outLength?.pointee = json?.utf8.count ?? 0
    }
}

@_cdecl("restway_api_name_count") @implementation
public func restway_api_name_count(
    _ api: InHandle, _ section: restway_section, _ entity: CString?
) -> Int {
    APIHandle.object(api)?.names(section, entity)?.count ?? 0
}

@_cdecl("restway_api_name") @implementation
public func restway_api_name(
    _ api: InHandle, _ section: restway_section, _ entity: CString?, _ index: Int
) -> CString! {
    guard let handle = APIHandle.object(api),
        let name = handle.names(section, entity)?.at(index)
    else { return nil }
    return handle.texts.pointer("name \0\(name)") { name }
}

@_cdecl("restway_api_json") @implementation
public func restway_api_json(
    _ api: InHandle, _ pointer: CString?, _ outJSON: Out<CString?>?, _ outLength: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    outJSON?.pointee = nil
    outLength?.pointee = 0
    return APIHandle.using(api, outError) { handle throws(Failure) in
        let pointer = try Argument.string(pointer, "pointer")
        let outJSON = try Argument.out(outJSON, "out_json")
        let json = try handle.api.json(at: pointer)
        // The document may change, so each text has its own place.
        outJSON.pointee = json.flatMap { json in handle.texts.pointer("json \0\(json)") { json } }
        outLength?.pointee = json?.utf8.count ?? 0
    }
}

extension APIHandle {
    /// The names in a section; `nil` for an unknown section, or an entity that is no text.
    fileprivate func names(_ section: restway_section, _ entity: CString?) -> [String]? {
        var name: String?
        if let entity {
            guard let text = String(validatingCString: entity) else { return nil }
            name = text
        }
        switch section {
        case .RESTWAY_SECTION_ENVIRONMENTS: return name == nil ? api.names(.environments) : nil
        case .RESTWAY_SECTION_ENTITIES: return name == nil ? api.names(.entities) : nil
        case .RESTWAY_SECTION_ROUTES: return api.names(.routes, entity: name)
        default: return nil
        }
    }
}

/// Whether a route replaces an existing one with the same name.
private func replaces(_ flags: UInt32) throws(Failure) -> Bool {
    try Argument.flags(flags, known: UInt32(RESTWAY_ROUTE_REPLACE))
    return flags != 0
}

import RestwayClient
import RestwayDocument
import RestwayJSON
import RestwayOutcome

/// An API as its document describes it: environments, entities, routes, and the rules of requests
/// and answers. Several clients may share it.
///
///     let api = try API(file: "shop.json")
///     let client = try Client(api)
///
/// The first client freezes the API: its entities can no longer change, but routes may be added.
public final class API: Sendable {
    let core: RestwayDocument.API

    /// Loads the document in the file at `path`. Paths in the document start from its folder.
    ///
    /// - Throws: A `RestwayError` of the kind `config`, whose `details` name every mistake and its
    ///   place; `io` if the file cannot be read.
    public init(file path: String) throws(RestwayError) {
        core = try RestwayError.explaining { () throws(Failure) in
            try RestwayDocument.API(file: path)
        }
    }

    /// Loads a document from its JSON text.
    public init(json text: String) throws(RestwayError) {
        core = try Self.load(Array(text.utf8))
    }

    /// Loads a document that the program writes as a literal:
    ///
    ///     let api = try API(document: [
    ///         "restway": 1, "environments": ["local": ["baseURL": "http://127.0.0.1:8080/v2"]],
    ///     ])
    public init(document: JSON) throws(RestwayError) {
        core = try Self.load(document.value.text())
    }

    /// The version of the library, such as `0.1.0`.
    public static var libraryVersion: String { Version.text }

    private static func load(_ text: [UInt8]) throws(RestwayError) -> RestwayDocument.API {
        try reading(text) { bytes throws(Failure) in try RestwayDocument.API(document: bytes) }
    }

    /// Adds a route. With `replaces`, it takes the place of a route with the same name.
    public func addRoute(
        _ name: String, _ route: JSON, replaces: Bool = false
    ) throws(RestwayError) {
        try Self.reading(route.value.text()) { bytes throws(Failure) in
            try core.addRoute(name, bytes, replaces: replaces)
        }
    }

    /// Adds the route `name`: the path of `parent` followed by the path of `child`, and everything
    /// else from `child`. With `replaces`, it takes the place of a route with the same name.
    public func joinRoutes(
        _ name: String, parent: String, child: String, replaces: Bool = false
    ) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.joinRoutes(name, parent: parent, child: child, replaces: replaces)
        }
    }

    /// Adds an entity. It fails after a client has frozen the API.
    public func addEntity(_ name: String, _ entity: JSON) throws(RestwayError) {
        try Self.reading(entity.value.text()) { bytes throws(Failure) in
            try core.addEntity(name, bytes)
        }
    }

    /// Runs `read` with the bytes of a text.
    static func reading<Value>(
        _ text: [UInt8], _ read: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(RestwayError) -> Value {
        let result = text.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try read(bytes) }
        }
        return try RestwayError.explaining { () throws(Failure) in try result.get() }
    }

    /// The names of the environments, in the order of the document.
    public var environments: [String] { core.names(.environments) }

    /// The names of the entities, in the order of the document.
    public var entities: [String] { core.names(.entities) }

    /// The names of the routes, in the order of the document.
    public var routes: [String] { core.names(.routes) }
}

import RestwayHTTP
import RestwayMapping

/// Finds the mappers of stored bodies.
struct BodyMappers: Sendable {
    /// Returns the mapper that reads and writes bodies of a media type, for the key of a route;
    /// `nil` if no mapper of the client does.
    var find: @Sendable (_ route: String?, _ mediaType: String) -> (any Mapper)? = { _, _ in nil }

    /// Returns the mapper of a body; `nil` if identities are written into the body as into a text,
    /// which holds for JSON, forms and the formats that no mapper writes.
    func mapper(route: String?, headers: [HeaderField]) -> (any Mapper)? {
        guard let type = Headers(headers)[first: "Content-Type"],
            BodyForm(mediaType: type) == .plain
        else { return nil }
        return find(route, type)
    }
}

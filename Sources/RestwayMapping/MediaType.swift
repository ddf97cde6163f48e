package import RestwayText

// Media types, as far as they choose the mapper for a body.
extension MediaType {
    /// Whether `mapper` reads bodies of the type `essence`.
    package static func reads(_ mapper: any Mapper, _ essence: String) -> Bool {
        mapper.mediaTypes.contains { type in
            type == essence || type.hasPrefix("*") && essence.hasSuffix(type.dropFirst())
        }
    }
}

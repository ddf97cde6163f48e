package import RestwayJSON
package import RestwayMapping

extension JSONValue {
    /// The value that `mapper` reads in a body of its media type, as JSON; nil when it reads none.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, by mapper: any Mapper, _ limits: MappingLimits
    ) -> JSONValue? {
        let builder = TreeBuilder()
        do throws(MapperError) {
            try mapper.decode(bytes, into: builder, limits: limits)
        } catch {
            return nil
        }
        return builder.value
    }
}

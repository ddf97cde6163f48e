package import RestwayJSON
package import RestwayMapping

extension JSONValue {
    /// Reads a body with `mapper` and returns its value as JSON; nil if the body does not have the
    /// mapper's media type, or the mapper breaks its contract.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, by mapper: any Mapper, _ limits: MappingLimits
    ) -> JSONValue? {
        let builder = TreeBuilder()
        do throws(MapperError) {
            try mapper.decode(bytes, into: builder, limits: limits)
        } catch {
            return nil
        }
        return builder.wholeValue
    }
}

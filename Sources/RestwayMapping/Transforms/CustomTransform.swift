package import RestwayObjects

/// A transform of the host, which was registered under a name.
///
/// Its functions are questions: they run on a worker, for different calls at the same time, and
/// never for null. The answer `absent` leaves the value unchanged.
package struct CustomTransform: Sendable {
    package typealias Function = @Sendable (Value) throws(TransformError) -> Value

    /// Converts a value of the payload (an object or a list as JSON text) to a value of the
    /// attribute's type. Nil means the default conversion of the type.
    package let decode: Function?
    /// Converts the attribute's value to a value of the payload. Nil means the default conversion.
    package let encode: Function?

    package init(decode: Function?, encode: Function?) {
        self.decode = decode
        self.encode = encode
    }
}

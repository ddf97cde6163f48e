package import RestwayObjects

/// A transform of the host's, as it was registered under a name.
///
/// Its functions are questions: they are asked on a worker, for different calls side by side,
/// and never about null. `absent` as an answer says nothing: what it was asked for stays as it is.
package struct CustomTransform: Sendable {
    package typealias Function = @Sendable (Value) throws(TransformError) -> Value

    /// From a value of the payload (an object or a list as JSON text) to one of the attribute's
    /// type; nil does what the type alone would do.
    package let decode: Function?
    /// From the attribute's value to one of the payload; nil does what the type alone would do.
    package let encode: Function?

    package init(decode: Function?, encode: Function?) {
        self.decode = decode
        self.encode = encode
    }
}

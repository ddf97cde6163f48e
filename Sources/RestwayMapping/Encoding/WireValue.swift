package import RestwayObjects

/// A value that is being written, in terms that all media types share.
package indirect enum WireValue: Sendable {
    /// Null, a bool, an int64, a double, a string, JSON text, a date or bytes. `absent` is never
    /// written.
    case leaf(Value)
    case list([WireValue])
    case object(WireObject)

    /// Merges `above` into this value. Members of two objects are merged; otherwise `above` wins.
    package func merged(_ above: WireValue) -> WireValue {
        guard case .object(var own) = self, case .object(let other) = above else { return above }
        own.merge(other)
        return .object(own)
    }
}

/// Why a response could not be mapped at all.
package enum MappingFailure: Error, Equatable, Sendable {
    case cancelled
    case tooManyObjects(max: Int)
    case tooDeep(max: Int)
    /// The mapper broke the contract of `EventSink`.
    ///
    /// - Parameter place: The key path of the wrong value, or of the value before it; empty at the
    ///   top.
    case brokenEvents(EventBreach, place: String)

    package var message: String {
        switch self {
        case .cancelled: "cancelled"
        case .tooManyObjects(let max): "the response holds more than \(max) objects"
        case .tooDeep(let max): "the body is nested deeper than \(max) levels"
        case .brokenEvents(let breach, let place):
            "broke its contract: \(breach.rawValue), at \(place.isEmpty ? "the top" : place)"
        }
    }
}

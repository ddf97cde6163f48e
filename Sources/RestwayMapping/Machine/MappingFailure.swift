/// Why a response could not be mapped at all.
package enum MappingFailure: Error, Equatable, Sendable {
    case cancelled
    case tooManyObjects(max: Int)
    case tooDeep(max: Int)
    /// The mapper did not keep the contract of `EventSink`.
    case brokenEvents

    package var message: String {
        switch self {
        case .cancelled: "cancelled"
        case .tooManyObjects(let max): "the response holds more than \(max) objects"
        case .tooDeep(let max): "the body is nested deeper than \(max) levels"
        case .brokenEvents: "values came in an order that makes no sense"
        }
    }
}

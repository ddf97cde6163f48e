/// How a mapper can break the contract of `EventSink`.
package enum EventBreach: String, Error, Equatable, Sendable, CaseIterable {
    case noValue = "it ended without a value"
    case secondRoot = "it gave a second value behind the first"
    case valueWithoutKey = "it gave a value without a key"
    case keyWithoutValue = "it gave a key without a value"
    case keyOutsideObject = "it gave a key outside of an object"
    case wrongEnd = "it ended what was not open"
    case unfinished = "it ended within an object or a list"
}

import RestwayClient
import RestwayThreads

/// An api with the texts that were read from it.
final class APIHandle: HandleObject, Sendable {
    let api: API
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ api: API) {
        self.api = api
    }
}

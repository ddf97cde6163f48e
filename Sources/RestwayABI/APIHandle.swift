import RestwayClient

/// An api with the texts that were read from it.
final class APIHandle: Sendable {
    let api: API
    let texts = LentTexts()

    init(_ api: API) {
        self.api = api
    }
}

/// What is known about an exchange when it has ended well.
package struct ExchangeSummary: Sendable {
    /// The resolved `Location` of a 3xx.
    package var redirectURL: String?
    package var timings: ExchangeTimings
    package var connectionWasReused: Bool
    /// Of bodies; headers are not counted.
    package var uploadedBytes: Int64
    package var downloadedBytes: Int64

    package init(
        redirectURL: String? = nil, timings: ExchangeTimings = ExchangeTimings(),
        connectionWasReused: Bool = false, uploadedBytes: Int64 = 0, downloadedBytes: Int64 = 0
    ) {
        self.redirectURL = redirectURL
        self.timings = timings
        self.connectionWasReused = connectionWasReused
        self.uploadedBytes = uploadedBytes
        self.downloadedBytes = downloadedBytes
    }
}

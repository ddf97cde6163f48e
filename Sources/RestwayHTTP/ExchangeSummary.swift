/// Facts about an exchange that has ended successfully.
package struct ExchangeSummary: Sendable {
    /// The resolved `Location` of a 3xx response.
    package var redirectURL: String?
    package var timings: ExchangeTimings
    package var connectionWasReused: Bool
    /// Whether the transport sent the request again by itself, because a kept connection had died.
    /// The server may have received it twice.
    package var wasRepeated: Bool
    /// The bytes of the request body, without headers.
    package var uploadedBytes: Int64
    package var downloadedBytes: Int64

    package init(
        redirectURL: String? = nil, timings: ExchangeTimings = ExchangeTimings(),
        connectionWasReused: Bool = false, wasRepeated: Bool = false, uploadedBytes: Int64 = 0,
        downloadedBytes: Int64 = 0
    ) {
        self.redirectURL = redirectURL
        self.timings = timings
        self.connectionWasReused = connectionWasReused
        self.wasRepeated = wasRepeated
        self.uploadedBytes = uploadedBytes
        self.downloadedBytes = downloadedBytes
    }
}

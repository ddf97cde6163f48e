import RestwayHTTP

/// The progress that an observer received last. libcurl reports the same progress repeatedly.
struct ExchangeProgress: Equatable {
    var uploaded: Int64 = 0
    var uploadTotal: Int64 = 0
    var downloaded: Int64 = 0
    var downloadTotal: Int64 = 0
}

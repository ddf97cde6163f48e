import RestwayHTTP

/// The last progress an observer was told of. libcurl tells the same one over and over.
struct ExchangeProgress: Equatable {
    var uploaded: Int64 = 0
    var uploadTotal: Int64 = 0
    var downloaded: Int64 = 0
    var downloadTotal: Int64 = 0
}

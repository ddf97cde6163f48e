import CCurl
import RestwaySupport

/// libcurl's own set-up, once for the process.
enum CurlGlobal {
    /// Whether libcurl can be used. The first read does the work; Swift makes it safe on threads.
    static let isReady: Bool = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { return false }
        // After OpenSSL has put its exit handler in place.
        ExitBarrier.raise()
        return true
    }()
}

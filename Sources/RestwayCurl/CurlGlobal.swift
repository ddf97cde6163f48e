import CCurl
import Glibc
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

    /// Whether libcurl tells of the records that TLS itself exchanges; of its back ends only
    /// OpenSSL's does.
    static let tellsOfAlerts: Bool = {
        guard let text = curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version else {
            return false
        }
        return strncmp(text, "OpenSSL/", 8) == 0
    }()
}

import CCurl
import Glibc
import RestwayThreads
import Synchronization

/// Sets libcurl up, once for the process.
enum CurlGlobal {
    private enum Readiness: Int {
        case unknown, ready, refused
    }

    private static let readiness = Atomic<Int>(Readiness.unknown.rawValue)

    /// The gate for every call of libcurl that may take a lock of libcurl or of the libraries below
    /// it, such as OpenSSL.
    static let gate = ForkGate()

    /// Whether libcurl can be used. The first read sets it up, and no fork happens meanwhile.
    static var isReady: Bool {
        if readiness.load(ordering: .acquiring) == Readiness.unknown.rawValue { setUp() }
        return readiness.load(ordering: .acquiring) == Readiness.ready.rawValue
            && ForkBarrier.isWhole
    }

    private static func setUp() {
        let gate = gate
        ForkBarrier.add(.transport) {
            guard readiness.load(ordering: .relaxed) == Readiness.unknown.rawValue else {
                return nil
            }
            guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
                readiness.store(Readiness.refused.rawValue, ordering: .releasing)
                return nil
            }
            // This comes after OpenSSL has registered its exit handler.
            ExitBarrier.raise()
            readiness.store(Readiness.ready.rawValue, ordering: .releasing)
            return gate.member
        }
    }

    /// Whether libcurl was built with HTTP/3.
    static let hasHTTP3: Bool = {
        guard let information = curl_version_info(CURLVERSION_FIRST) else { return false }
        return information.pointee.features & CURL_VERSION_HTTP3 != 0
    }()

    /// Whether a second exchange may use a connection that speaks HTTP/2 without TLS. libcurl 7.88
    /// starts HTTP/2 once more on such a connection, and the exchange fails (curl issue 10634).
    static let canReusePlainHTTP2: Bool = {
        guard let information = curl_version_info(CURLVERSION_FIRST) else { return false }
        return !(0x07_58_00..<0x08_00_00).contains(information.pointee.version_num)
    }()

    /// Whether libcurl reports the records that TLS itself exchanges. Only its OpenSSL back end
    /// does.
    static let tellsOfAlerts: Bool = {
        guard let text = curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version else {
            return false
        }
        return strncmp(text, "OpenSSL/", 8) == 0
    }()
}

import CCurl
import Glibc

/// A URL that libcurl need not parse. Its origin was parsed once, and the path and query are set.
///
/// Each easy handle has its own, because libcurl reads it only when the exchange leaves libcurl's
/// queue. libcurl copies the parts.
struct ParsedURL: ~Copyable {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private var url: OpaquePointer?
    private var lane: Lane?
    private var hasQuery = false
    /// The path or query, with a NUL at its end.
    private var text = UnsafeMutableBufferPointer<CChar>(start: nil, count: 0)

    deinit {
        curl_url_cleanup(url)
        free(text.baseAddress)
    }

    /// The handle for `url`, which belongs to `lane`; nil if the URL must be parsed as a whole. It
    /// is valid until the next call.
    mutating func set(_ url: String, of lane: Lane) -> OpaquePointer? {
        if self.lane !== lane {
            curl_url_cleanup(self.url)
            self.url = lane.url.flatMap { curl_url_dup($0.handle) }
            self.lane = lane
            hasQuery = false
        }
        guard let handle = self.url else { return nil }
        var url = url
        return url.withUTF8 { put($0, into: handle) } ? handle : nil
    }

    /// Overwrites the text that was set last, and releases the parsed URL.
    mutating func wipe() {
        if let start = text.baseAddress { explicit_bzero(start, text.count) }
        curl_url_cleanup(url)
        url = nil
        lane = nil
    }

    private mutating func put(
        _ url: UnsafeBufferPointer<UInt8>, into handle: OpaquePointer
    ) -> Bool {
        guard let start = Self.pathStart(of: url) else { return false }
        // libcurl changes the spelling of percent triplets and does not accept an empty query as a
        // part. No URL has a fragment here.
        let mayStand = url[start...].allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "#")
        }
        guard mayStand, url.last != UInt8(ascii: "?") else { return false }
        let question = url[start...].firstIndex(of: UInt8(ascii: "?"))
        let path = Bytes(rebasing: url[start..<(question ?? url.endIndex)])
        guard set(CURLUPART_PATH, path, on: handle) else { return false }
        guard let question else {
            guard hasQuery else { return true }
            hasQuery = false
            return curl_url_set(handle, CURLUPART_QUERY, nil, 0) == CURLUE_OK
        }
        hasQuery = true
        return set(CURLUPART_QUERY, Bytes(rebasing: url[(question + 1)...]), on: handle)
    }

    private mutating func set(
        _ part: CURLUPart, _ bytes: Bytes, on handle: OpaquePointer
    ) -> Bool {
        // An empty path means the root.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return curl_url_set(handle, part, "/", 0) == CURLUE_OK
        }
        guard makeRoom(bytes.count + 1), let room = text.baseAddress else { return false }
        memcpy(room, start, bytes.count)
        room[bytes.count] = 0
        return curl_url_set(handle, part, room, 0) == CURLUE_OK
    }

    /// Makes room for the text. The text in a smaller block is overwritten, because a query may
    /// contain a key.
    private mutating func makeRoom(_ count: Int) -> Bool {
        guard count > text.count else { return true }
        let capacity = max(count, 2 * text.count, 128)
        guard let room = malloc(capacity) else { return false }
        if let start = text.baseAddress {
            explicit_bzero(start, text.count)
            free(start)
        }
        text = .init(start: room.assumingMemoryBound(to: CChar.self), count: capacity)
        return true
    }

    /// Where what follows the authority begins; nil when `url` has no "//".
    private static func pathStart(of url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url.count > colon + 2,
            url[colon + 1] == UInt8(ascii: "/"), url[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        return url[(colon + 3)...].firstIndex { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        } ?? url.endIndex
    }
}

/// The URL of an origin, parsed by libcurl.
final class OriginURL {
    let handle: OpaquePointer

    /// Parses the URL; nil if libcurl does not accept it.
    init?(_ text: String) {
        guard let handle = curl_url() else { return nil }
        self.handle = handle
        guard curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK
        else { return nil }
    }

    deinit {
        curl_url_cleanup(handle)
    }
}

import CCurl
import Glibc

/// A URL that libcurl need not parse: its origin was parsed once, and path and query are put in.
///
/// One for each easy handle, as libcurl reads it when the exchange leaves libcurl's own queue. It
/// copies what it reads.
struct ParsedURL: ~Copyable {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private var url: OpaquePointer?
    private var lane: Lane?
    private var hasQuery = false
    /// Where the path, or the query, stands with a NUL behind it.
    private var text = UnsafeMutableBufferPointer<CChar>(start: nil, count: 0)

    deinit {
        curl_url_cleanup(url)
        free(text.baseAddress)
    }

    /// The handle for `url`, which is of `lane`; nil when it has to be parsed as a whole. Valid
    /// until the next call.
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

    /// Overwrites the text that was put in last, and lets go of the parsed URL.
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
        // libcurl changes how triplets are written, and takes no empty query as a part. No
        // fragment comes this far.
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
        // An empty path is the root's.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return curl_url_set(handle, part, "/", 0) == CURLUE_OK
        }
        guard makeRoom(bytes.count + 1), let room = text.baseAddress else { return false }
        memcpy(room, start, bytes.count)
        room[bytes.count] = 0
        return curl_url_set(handle, part, room, 0) == CURLUE_OK
    }

    /// What stood in a smaller block is overwritten: a key may stand in a query.
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

/// An origin's URL, parsed by libcurl.
final class OriginURL {
    let handle: OpaquePointer

    /// nil when libcurl does not take it.
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

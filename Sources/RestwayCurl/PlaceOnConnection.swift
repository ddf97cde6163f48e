import CCurl
import Glibc
import RestwayHTTP

/// The connection on which an exchange is sent.
struct PlaceOnConnection {
    /// The reason why a request must not go out on the connection that libcurl has chosen.
    enum Obstacle {
        /// The connection speaks HTTP/1.1 and carries another exchange. libcurl 7.88 chooses such
        /// a connection if the origin also has a connection of HTTP/2. Each of the two exchanges
        /// could then get the answer to the other.
        case busy
        /// The connection was idle, and bytes that answer no request, or its end, have come.
        case unread
        /// The connection speaks HTTP/2, was idle, and has more frames than libcurl has read when
        /// it chose it. libcurl reads on when it looks for a connection once more.
        case moreFrames
    }

    /// The sockets that were opened for the exchange, one of which is its new connection; empty if
    /// it uses a connection that was there.
    var opened: [Int32] = []
    /// Whether the connection that was made for the exchange speaks HTTP/2.
    var speaksHTTP2 = false
    /// Whether the request answers a Digest challenge, so that it repeats nothing.
    var answersChallenge = false
    /// Why the exchange was stopped before a byte of its request was sent.
    var obstacle: Obstacle?
}

/// The addresses and the ports of both ends of a connection, which tell it from all other
/// connections of a transport.
struct ConnectionEnds: Hashable {
    let localPort: UInt16
    private let remotePort: UInt16
    /// A hash of both addresses (FNV-1a).
    private let addresses: UInt64

    /// Returns `nil` for a connection without ports, which goes to a Unix-domain socket.
    init?(
        remote: UnsafePointer<CChar>?, remotePort: Int32, local: UnsafePointer<CChar>?,
        localPort: Int32
    ) {
        guard let remote, let local, localPort > 0, localPort <= UInt16.max, remotePort >= 0,
            remotePort <= UInt16.max
        else { return nil }
        (self.localPort, self.remotePort) = (UInt16(localPort), UInt16(remotePort))
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in [remote, local] {
            var next = text
            while next.pointee != 0 {
                hash = (hash ^ UInt64(UInt8(bitPattern: next.pointee))) &* 0x100_0000_01B3
                next += 1
            }
            hash = hash &* 0x100_0000_01B3
        }
        addresses = hash
    }
}

extension EasyHandle {
    /// Opens a socket for a new connection. Returns its descriptor.
    func connect(to address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let isSecure = active?.originQueue?.isSecure == true
        transfer.place.speaksHTTP2 = !isSecure && network.speaksPlainHTTP2
        if isSecure { tellOfTLS(true) }
        // The handshake of TLS tells more.
        let mayShare = isSecure || network.speaksPlainHTTP2
        let descriptor = sockets.open(address, kind: mayShare ? .unknown : .http1)
        if descriptor < 0, TransportError.isLack(errno) { transfer.lack = errno }
        if descriptor >= 0 { transfer.place.opened.append(descriptor) }
        return descriptor
    }

    /// Learns from the text of libcurl which protocol the client and the server have agreed on in
    /// the handshake (ALPN): "ALPN: server accepted h2".
    func noteProtocol(_ text: UnsafeRawBufferPointer) {
        guard !transfer.place.opened.isEmpty else { return }
        var line = String(decoding: text, as: UTF8.self)
        if line.utf8.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.hasPrefix("ALPN") { transfer.place.speaksHTTP2 = line.hasSuffix(" h2") }
    }

    /// Checks the connection that libcurl has chosen, just before the request is sent. Returns
    /// false if the request must not be sent on it.
    ///
    /// libcurl 7.88 sends a request on an idle connection that has unread bytes, and takes these
    /// bytes for the answer. Bytes that come later than this check cannot be told from an answer.
    ///
    /// - Parameter ends: `nil` for a connection to a Unix-domain socket.
    func checkConnection(_ ends: ConnectionEnds?) -> Bool {
        guard let active else { return false }
        let isSecure = active.originQueue?.isSecure == true
        if !transfer.place.opened.isEmpty {
            let opened = transfer.place.opened
            transfer.place.opened = []
            let isKnown = !isSecure || CurlGlobal.tellsOfAlerts
            let kind: SocketSet.Kind = transfer.place.speaksHTTP2 ? .http2 : .http1
            if let ends {
                sockets.made(
                    ends, kind: isKnown ? kind : .unknown, by: active.id, opened: opened)
            }
            return true
        }
        let usesTLS = isSecure || network.proxyMayUseTLS
        let holdsBytes = usesTLS && rw_easy_has_decrypted(easy) != 0
        transfer.place.obstacle = sockets.obstacle(
            on: ends, for: active.id, isSecure: isSecure, holdsBytes: holdsBytes)
        return transfer.place.obstacle == nil
    }
}

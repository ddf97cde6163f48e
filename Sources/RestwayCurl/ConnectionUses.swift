/// The exchanges that connections over TLS carry now, by the local port of each connection.
///
/// If an origin has a connection of HTTP/2 and another one of HTTP/1.1, libcurl 7.88 may send a
/// request on the connection of HTTP/1.1 while that connection still carries another exchange. Each
/// of the two exchanges could then get the answer to the other. This type finds such requests
/// before they are sent.
struct ConnectionUses {
    private struct Use {
        /// Whether the connection speaks HTTP/2, so that exchanges may share it.
        let isMultiplexed: Bool
        var exchanges = 0
    }

    private var uses: [Int32: Use] = [:]

    /// Notes that an exchange is about to be sent.
    ///
    /// - Parameter isMultiplexed: Whether the connection speaks HTTP/2; `nil` if the connection was
    ///   made for another exchange.
    /// - Returns: Whether the exchange may be sent. If it may not, nothing is noted.
    mutating func begin(onPort port: Int32, isMultiplexed: Bool?) -> Bool {
        if let isMultiplexed { uses[port] = Use(isMultiplexed: isMultiplexed) }
        guard var use = uses[port] else { return true }
        guard use.exchanges == 0 || use.isMultiplexed else { return false }
        use.exchanges += 1
        uses[port] = use
        return true
    }

    /// Notes that an exchange has ended on its connection.
    mutating func end(onPort port: Int32) {
        if let exchanges = uses[port]?.exchanges, exchanges > 0 {
            uses[port]?.exchanges = exchanges - 1
        }
    }
}

/// The connection on which an exchange is sent.
struct PlaceOnConnection {
    /// Whether the connection that was made for the exchange speaks HTTP/2; `nil` if the exchange
    /// uses a connection that was open.
    var isMultiplexed: Bool?
    /// The local port of the connection over TLS on which the request was sent.
    var port: Int32?
    /// Whether libcurl has chosen a connection that carries another exchange and cannot carry two.
    var isBusy = false
}

extension EasyHandle {
    /// A connection over TLS is made for the exchange.
    func willConnect() {
        tellOfTLS(true)
        transfer.place.isMultiplexed = false
    }

    /// Learns from the text of libcurl which protocol the client and the server have agreed on in
    /// the handshake (ALPN): "ALPN: server accepted h2".
    func noteProtocol(_ text: UnsafeRawBufferPointer) {
        guard transfer.place.isMultiplexed != nil else { return }
        var line = String(decoding: text, as: UTF8.self)
        if line.utf8.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.hasPrefix("ALPN") { transfer.place.isMultiplexed = line.hasSuffix(" h2") }
    }

    /// Notes that the request is about to be sent on the connection with this local port; returns
    /// false if the request must not be sent on it.
    func joinConnection(_ port: Int32) -> Bool {
        leaveConnection()
        let isMultiplexed = transfer.place.isMultiplexed.take()
        // A Unix-domain socket has no port.
        guard CurlGlobal.tellsOfAlerts, active?.originQueue?.isSecure == true, port > 0 else {
            return true
        }
        guard sockets.uses.begin(onPort: port, isMultiplexed: isMultiplexed) else {
            transfer.place.isBusy = true
            return false
        }
        transfer.place.port = port
        return true
    }

    func leaveConnection() {
        if let port = transfer.place.port.take() { sockets.uses.end(onPort: port) }
    }
}

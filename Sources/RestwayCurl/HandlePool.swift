/// Easy handles for the exchanges of one transport.
struct HandlePool {
    /// The number of handles kept for later exchanges: as many as servers usually let share one
    /// connection of HTTP/2. Each handle has a buffer, so not all handles are kept.
    private static let idleMax = 128

    private let sockets: SocketSet
    private let settings: CurlTransport.Settings
    private var idle: [EasyHandle] = []
    /// The TLS sessions of exchanges without cookies. They are kept apart from those of exchanges
    /// with cookies, so that no server can tell by a session that both come from one client.
    private var sessions: ShareObject?

    /// The cookies that the handles share.
    var cookies: CookieJar? { settings.cookies }

    init(sockets: SocketSet, _ settings: CurlTransport.Settings) {
        self.sockets = sockets
        self.settings = settings
    }

    /// A handle for one exchange; nil if there is no memory.
    mutating func take() -> EasyHandle? {
        if let handle = idle.popLast() { return handle }
        sessions = sessions ?? ShareObject(sharesCookies: false)
        return sessions.flatMap { EasyHandle(sockets: sockets, sessions: $0, settings) }
    }

    mutating func keep(_ handle: EasyHandle) {
        if idle.count < Self.idleMax { idle.append(handle) }
    }

    mutating func removeAll() {
        idle = []
    }
}

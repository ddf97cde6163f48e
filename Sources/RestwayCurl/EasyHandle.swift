import CCurl
import Glibc
import RestwayHTTP
import RestwayThreads

/// One easy handle of libcurl, used for one exchange after another by the I/O thread.
///
/// Constant options are set once. `prepare` sets all options that may differ, so no option of one
/// exchange affects the next. libcurl's callbacks carry a borrowed pointer to this object, which
/// lives longer than libcurl's handle.
final class EasyHandle {
    /// The events so far in the exchange that the handle performs.
    struct Transfer {
        var head = HeadParser()
        /// The number of times the request was sent. libcurl repeats it if a kept connection died.
        var attempts = 0
        /// The error with which one of our callbacks ended the exchange. libcurl does not know this
        /// error.
        var failure: TransportError?
        /// The progress that the observer received last. libcurl reports the same repeatedly.
        var progress = Progress()
        /// Whether the observer currently receives no data.
        var isPaused = false
        /// The bytes that are left of a body that libcurl would read to the end of the connection
        /// although it has a length; `nil` for other bodies.
        var bytesLeft: Int64?
        /// A Digest challenge that libcurl may answer by itself.
        var challenge: ResponseHead?
        /// Why the system gave no socket for the exchange; 0 if it has not refused one.
        var lack: Int32 = 0
        var tlsEnd = TLSEnd.unimportant
        var place = PlaceOnConnection()
        var idle = IdleMeter()
        /// Whether the server has refused to be asked for the body (417).
        var isExpectationRefused = false
        var answerWait = AnswerWait()
    }

    struct Progress: Equatable {
        var uploaded: Int64 = 0
        var uploadTotal: Int64 = 0
        var downloaded: Int64 = 0
        var downloadTotal: Int64 = 0
    }

    let easy: UnsafeMutableRawPointer
    let sockets: SocketSet
    /// The exchange that the handle performs.
    private(set) var active: ActiveExchange?
    var transfer = Transfer()
    /// The rest of the total time limit when the exchange began; 0 for no limit.
    private(set) var totalMilliseconds: Int64 = 0
    /// Whether libcurl calls the debug function.
    var isToldOfTLS = false

    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headerList = HeaderList()
    private var body = BodyBuffer()
    private var cookies: HandleCookies
    private let secureHosts: SecureHostList?
    private(set) var network: NetworkOptions

    /// Creates a handle; nil if there is no memory.
    ///
    /// - Parameter sessions: The TLS sessions for exchanges without cookies.
    init?(sockets: SocketSet, sessions: ShareObject, _ settings: CurlTransport.Settings) {
        guard let easy = CurlGlobal.gate.pass({ curl_easy_init() }) else { return nil }
        self.easy = easy
        self.sockets = sockets
        secureHosts = settings.secureHosts
        cookies = HandleCookies(easy: easy, sessions)
        network = NetworkOptions(easy, settings)
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setConstants(sockets)
    }

    deinit {
        CurlGlobal.gate.pass { curl_easy_cleanup(easy) }
        errorText.deallocate()
    }

    var place: String { active?.originQueue?.place ?? "" }

    /// The facts that libcurl knows about the exchange.
    var info: TransferInfo { TransferInfo(easy: easy) }

    /// libcurl's description of the error; may be empty.
    var errorDetail: String { String(cString: errorText) }

    /// Prepares the handle for `active`; returns an error if the exchange cannot be sent.
    func prepare(
        _ active: ActiveExchange, timeoutMilliseconds: Int64, cookies: CookieJar?
    ) -> TransportError? {
        self.active = active
        transfer = Transfer()
        tellOfTLS(false)
        errorText[0] = 0
        if let digest = active.exchange.digest { set(digest) }
        network.choose(
            active.originQueue?.origin,
            avoidsHTTP2: active.originQueue?.avoidsHTTP2 == true,
            needsNewConnection: active.newStart.needsNewConnection)
        totalMilliseconds = timeoutMilliseconds
        ExchangeOptions(easy: easy).set(
            active, timeoutMilliseconds: timeoutMilliseconds,
            sharesPlainConnections: network.sharesPlainConnections)
        let jar = active.exchange.usesCookies ? cookies : nil
        if let jar,
            !HandleCookies.haveRoom(
                in: active.exchange, at: place, mayUseProxy: network.mayUseProxy, jar)
        {
            return TransportError(
                .tooLarge, "\(place): the URL is so long that no cookie can be sent with it")
        }
        self.cookies.use(jar, for: active.exchange.url)
        let (headers, sendsBody) = (active.exchange.headers, active.exchange.sendsBody)
        guard setRequest(active.exchange, sendsBody: sendsBody),
            headerList.set(headers, sendsBody: sendsBody, on: easy)
        else {
            return .noResources("memory for the request", ENOMEM)
        }
        return nil
    }

    /// Releases the exchange. The handle can then be prepared again.
    func release() {
        if active?.exchange.digest != nil { set(nil) }
        if active?.holdsCredential == true {
            headerList.wipe(on: easy)
            body.wipe()
            // The query of the URL may contain a key.
            rw_easy_set_string(easy, CURLOPT_URL, nil)
        }
        setPaused(false)
        cookies.release()
        active = nil
        transfer = Transfer()
        body.release()
    }

    /// Reports the trailers at the end of the response.
    func tellTrailers() {
        guard let trailers = transfer.head.takeTrailers() else { return }
        active?.observer?.receivedTrailers(trailers)
    }

    /// Reports the head that an exchange has left unfinished. The status line alone tells that the
    /// server has answered, and a request that is not safe must not be sent again then.
    func tellUnfinishedHead() {
        guard let active, !active.exchange.isSafe, let head = transfer.head.unfinished else {
            return
        }
        active.observer?.receivedHead(
            ResponseHead(
                status: head.status, headers: head.headers, url: active.exchange.url,
                httpVersion: head.httpVersion))
    }

    /// Whether this handle of libcurl is paused. libcurl also has internal handles.
    static func isPaused(_ easy: UnsafeMutableRawPointer?) -> Bool {
        guard let easy else { return false }
        var pointer: UnsafeMutableRawPointer?
        rw_easy_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
        var isPaused = false
        lend(pointer) { isPaused = $0.transfer.isPaused }
        return isPaused
    }

    func resume() {
        guard transfer.isPaused else { return }
        setPaused(false)
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    func setPaused(_ isPaused: Bool) {
        guard transfer.isPaused != isPaused else { return }
        transfer.isPaused = isPaused
        sockets.pausedExchanges += isPaused ? 1 : -1
    }

    /// Tells the jar that libcurl has taken a cookie, perhaps of an answer before the last one.
    func cookieHasCome(_ line: UnsafeBufferPointer<UInt8>) {
        guard let jar = cookies.jar else { return }
        jar.learned()
        jar.noteFolderPath(Cookie.mayHaveFolderPath(line))
    }

    /// Keeps what an answer asks the client to remember. libcurl has already taken its cookies.
    func keepState(of answer: ResponseHead) {
        if let jar = cookies.jar, jar.hasFile, answer.headers[first: "Set-Cookie"] != nil {
            jar.changed()
        }
        guard let secureHosts, let origin = active?.originQueue, origin.isSecure,
            network.isVerifying, let header = answer.headers[first: "Strict-Transport-Security"]
        else { return }
        secureHosts.learn(header, from: answer.url)
    }

    // MARK: Set-up

    private func setConstants(_ sockets: SocketSet) {
        let me = UserData.borrow(self)
        rw_easy_set_pointer(easy, CURLOPT_PRIVATE, me)
        rw_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        ExchangeOptions(easy: easy).setConstants()
        setCallbacks(me, UserData.borrow(sockets))
    }

    /// Sets the request line and the body.
    private func setRequest(_ exchange: Exchange, sendsBody: Bool) -> Bool {
        // `withCString` avoids the copy that Swift makes when it converts arguments.
        let code = exchange.url.withCString { rw_easy_set_string(easy, CURLOPT_URL, $0) }
        guard code == CURLE_OK else { return false }
        if exchange.method == "HEAD" {
            rw_easy_set_long(easy, CURLOPT_NOBODY, 1)
            return rw_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, nil) == CURLE_OK
        }
        // This also resets NOBODY and UPLOAD.
        rw_easy_set_long(easy, CURLOPT_HTTPGET, 1)
        var implied = "GET"
        if case .source(let source) = exchange.body {
            // A body without a length is sent in chunks, or in frames.
            rw_easy_set_long(easy, CURLOPT_UPLOAD, 1)
            rw_easy_set_offset(easy, CURLOPT_INFILESIZE_LARGE, Int(source.length ?? -1))
            implied = "PUT"
        } else if sendsBody {
            guard let pointer = body.hold(exchange.body) else { return false }
            rw_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int(exchange.body.count ?? 0))
            rw_easy_set_pointer(easy, CURLOPT_POSTFIELDS, pointer)
            implied = "POST"
        }
        let method = exchange.method == implied ? nil : exchange.method
        return rw_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK
    }
}

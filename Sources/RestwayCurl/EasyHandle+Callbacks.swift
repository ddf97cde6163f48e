import CCurl
import RestwayHTTP
import RestwayThreads

/// The functions that libcurl calls while it performs an exchange.
extension EasyHandle {
    func setCallbacks(_ me: UnsafeMutableRawPointer, _ sockets: UnsafeMutableRawPointer) {
        rw_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            var goesOn = false
            EasyHandle.lend(me) { goesOn = $0.received(headerLine: line) }
            return goesOn ? line.count : 0
        }
        rw_easy_set_pointer(easy, CURLOPT_HEADERDATA, me)
        rw_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            var taken = 0
            EasyHandle.lend(me) { handle in
                // libcurl keeps the piece and gives it again when the exchange is resumed.
                if handle.transfer.isPaused {
                    taken = Int(CURL_WRITEFUNC_PAUSE)
                } else if handle.received(piece) {
                    taken = piece.count
                }
            }
            return taken
        }
        rw_easy_set_pointer(easy, CURLOPT_WRITEDATA, me)
        rw_easy_set_data_function(easy, CURLOPT_READFUNCTION) { bytes, size, count, me in
            UserData.object(EasyHandle.self, me!).give(
                UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        rw_easy_set_pointer(easy, CURLOPT_READDATA, me)
        rw_easy_set_progress_function(easy) { me, downTotal, down, upTotal, up in
            UserData.object(EasyHandle.self, me!).progressed(
                EasyHandle.Progress(
                    uploaded: Int64(up), uploadTotal: Int64(upTotal), downloaded: Int64(down),
                    downloadTotal: Int64(downTotal)))
            return 0
        }
        rw_easy_set_pointer(easy, CURLOPT_XFERINFODATA, me)
        rw_easy_set_prerequest_function(easy) { me, remote, local, remotePort, localPort in
            var answer = CURL_PREREQFUNC_ABORT
            EasyHandle.lend(me) { handle in
                let ends = ConnectionEnds(
                    remote: remote, remotePort: remotePort, local: local, localPort: localPort)
                if handle.beginSending(), handle.checkConnection(ends) {
                    answer = CURL_PREREQFUNC_OK
                }
            }
            return answer
        }
        rw_easy_set_pointer(easy, CURLOPT_PREREQDATA, me)
        rw_easy_set_open_socket_function(easy) { me, purpose, address in
            UserData.object(EasyHandle.self, me!).connect(to: address!)
        }
        rw_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, me)
        rw_easy_set_close_socket_function(easy) { sockets, descriptor in
            UserData.object(SocketSet.self, sockets!).close(descriptor)
        }
        rw_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, sockets)
        setDebugFunction(me)
    }

    /// Runs `body` without counting references, because libcurl calls this for each exchange and
    /// line.
    static func lend(_ pointer: UnsafeMutableRawPointer?, _ body: (EasyHandle) -> Void) {
        guard let pointer else { return }
        UserData.lend(pointer) { body(unsafeDowncast($0, to: EasyHandle.self)) }
    }

    /// Takes a header line. False ends the exchange with `failure`; it has the same meaning in the
    /// next two functions.
    private func received(headerLine line: UnsafeRawBufferPointer) -> Bool {
        let line = line.assumingMemoryBound(to: UInt8.self)
        if HeadParser.setsCookie(line) { cookieHasCome(line) }
        let step = transfer.head.consume(line)
        switch step {
        case .more:
            break
        case .head(let status, let headers, let httpVersion):
            guard let active else { return false }
            let answer = ResponseHead(
                status: status, headers: headers, url: active.exchange.url,
                httpVersion: httpVersion)
            // Otherwise libcurl would wait for the rest of a body that the server does not want.
            if active.pulled?.isPaused == true { curl_easy_pause(easy, CURLPAUSE_CONT) }
            watchEnd(behind: answer)
            keepState(of: answer)
            transfer.isExpectationRefused = status == 417 && active.exchange.expectsContinue
            if isChallenge(answer) {
                transfer.challenge = answer
            } else {
                active.observer?.receivedHead(answer)
                return !endsByLength(answer)
            }
        case .failed(let kind, let message):
            transfer.failure = TransportError(kind, "\(place): \(message)")
            return false
        }
        return true
    }

    /// Notes the length of a body whose end libcurl does not see, and whether the body is empty, so
    /// that the exchange ends here.
    private func endsByLength(_ answer: ResponseHead) -> Bool {
        guard answer.httpVersion == .http11 || answer.httpVersion == .http10,
            active?.exchange.method != "HEAD", answer.status != 204, answer.status != 304
        else { return false }
        transfer.bytesLeft = ResponseFraming.lengthBesideIdentity(answer.headers)
        return transfer.bytesLeft == 0
    }

    /// Takes a piece of the body. If the body ends by its length, this ends the exchange.
    private func received(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard let left = transfer.bytesLeft else { return take(piece) }
        let part = UnsafeRawBufferPointer(rebasing: piece.prefix(Int(clamping: left)))
        guard take(part) else { return false }
        transfer.bytesLeft = left - Int64(part.count)
        return transfer.bytesLeft != 0
    }

    private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard piece.count > 0 else { return true }
        tellChallenge()
        guard transfer.head.isComplete, let observer = active?.observer else {
            transfer.failure = TransportError(
                .protocolViolation, "\(place): a response body came before its headers were over")
            return false
        }
        switch observer.receivedBody(piece) {
        case .proceed:
            return true
        case .pause:
            setPaused(true)
            return true
        case .stop(let error):
            transfer.failure = error
            return false
        }
    }

    /// Runs when a connection is ready, just before the request is sent. Returns false if the
    /// request must not be sent.
    ///
    /// libcurl sends a request again if a kept connection died before a byte of the answer. This
    /// cannot be turned off, so a request that must not be repeated is stopped here.
    private func beginSending() -> Bool {
        // libcurl would send the request again, with the same header. The 417 is the answer, after
        // which the call sends the request without the header.
        if transfer.isExpectationRefused { return false }
        transfer.attempts += 1
        transfer.place.answersChallenge = false
        let isRepeated = transfer.attempts + (active?.newStart.attemptsBefore ?? 0) > 1
        awaitAnswer()
        tellOfTLS(false)
        if isRepeated, active?.pulled?.hasBegun == true {
            transfer.failure = TransportError(
                .connectionLost, "\(place): the body cannot be sent again from its start")
            return false
        }
        if transfer.challenge != nil {
            // This request answers the challenge; the request before only asked for it.
            transfer.challenge = nil
            transfer.place.answersChallenge = true
            transfer.head.reset()
            return true
        }
        if transfer.head.isComplete {
            // libcurl repeats a request whose stream was reset with HTTP_1_1_REQUIRED, even if the
            // reset stands behind a part of the answer. Another answer cannot follow that part.
            transfer.failure = TransportError(
                .connectionLost, "\(place): the response ended before its body did")
            return false
        }
        guard isRepeated, active?.exchange.isRepeatable != true else {
            if isRepeated { active?.newStart.repetitions += 1 }
            return true
        }
        transfer.failure = TransportError(
            .connectionLost,
            "\(place): the kept connection ended before the response; "
                + "the request may have been carried out, so it is not repeated")
        return false
    }

    /// Notes that the time for the first byte of the answer begins, again.
    private func awaitAnswer() {
        guard active?.exchange.timeouts.firstByteMilliseconds ?? 0 > 0 else { return }
        transfer.answerWait.begin(at: SystemClock().now())
    }

    private func progressed(_ now: Progress) {
        guard now != transfer.progress, let observer = active?.observer else { return }
        if now.uploaded != transfer.progress.uploaded { awaitAnswer() }
        transfer.progress = now
        guard observer.wantsProgress else { return }
        observer.progressed(
            uploaded: now.uploaded, uploadTotal: now.uploadTotal, downloaded: now.downloaded,
            downloadTotal: now.downloadTotal)
    }

    /// Copies the next bytes when libcurl wants more of the body.
    private func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let active, buffer.count > 0 else { return Int(CURL_READFUNC_ABORT) }
        switch active.pulled?.give(buffer) ?? .bytes(0) {
        case .bytes(let count): return count
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .abort(let error):
            transfer.failure = error
            return Int(CURL_READFUNC_ABORT)
        }
    }
}

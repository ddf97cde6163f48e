import RestwayHTTP
import RestwayOutcome

extension CacheTicket {
    /// Takes the server's answer as `answered` does, and gives the cache the file of a download.
    func take(_ answer: ReceivedResponse) -> CacheOutcome {
        let outcome = answered(answer.whole ?? answer)
        answer.saved?.content?.end()
        guard answer.whole != nil, outcome.answer.received.status == 200 else { return outcome }
        return CacheOutcome(
            answer: CachedAnswer(
                received: outcome.answer.received.resumed(as: answer), memo: outcome.answer.memo,
                bodyFile: outcome.answer.bodyFile),
            isShareable: outcome.isShareable)
    }
}

extension ReceivedResponse {
    /// The answer as it would be if one exchange had brought the whole file, for a download that
    /// went on from a part; `nil` for any other answer.
    fileprivate var whole: ReceivedResponse? {
        guard status == 206, let saved, saved.resumedFrom > 0 else { return nil }
        var headers = headers
        headers.remove("Content-Range")
        headers.set("Content-Length", String(saved.length))
        return ReceivedResponse(
            status: 200, httpVersion: httpVersion, headers: headers, url: url, body: body,
            saved: saved, trailers: trailers, timings: timings, attempts: attempts, cache: cache)
    }

    /// Returns the answer with the status and the length of the last exchange.
    fileprivate func resumed(as last: ReceivedResponse) -> ReceivedResponse {
        var headers = headers
        for name in ["Content-Range", "Content-Length"] {
            headers.remove(name)
            if let value = last.headers[first: name] { headers.set(name, value) }
        }
        return ReceivedResponse(
            status: last.status, httpVersion: httpVersion, headers: headers, url: url, body: body,
            saved: saved, trailers: trailers, timings: timings, attempts: attempts, cache: cache)
    }
}

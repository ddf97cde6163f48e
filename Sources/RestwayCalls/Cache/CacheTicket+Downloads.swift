import RestwayHTTP
import RestwayOutcome

extension CacheTicket {
    /// Takes the server's answer as `answered` does, and gives the cache the file of a download.
    func take(_ answer: Answer) -> Answer {
        let whole = answer.whole
        var taken = answered(whole ?? answer)
        answer.saved?.content?.end()
        if whole != nil, taken.status == 200 { taken.resume(as: answer) }
        return taken
    }
}

extension Answer {
    /// The answer as it would be if one exchange had brought the whole file, for a download that
    /// went on from a part; `nil` for any other answer.
    fileprivate var whole: Answer? {
        guard status == 206, let saved, saved.resumedFrom > 0 else { return nil }
        var whole = self
        whole.status = 200
        whole.headers.remove("Content-Range")
        whole.headers.set("Content-Length", String(saved.length))
        return whole
    }

    /// Gives the answer the status and the length of the last exchange.
    fileprivate mutating func resume(as last: Answer) {
        status = last.status
        for name in ["Content-Range", "Content-Length"] {
            headers.remove(name)
            if let value = last.headers[first: name] { headers.set(name, value) }
        }
    }
}

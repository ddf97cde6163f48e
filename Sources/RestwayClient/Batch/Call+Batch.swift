import RestwayBatch
import RestwayHTTP
import RestwayRouting
import RestwaySupport

/// Calls that go out inside of another one.
extension Call {
    /// Gives an exchange to the session in the place of the transport; false when the call goes out
    /// by itself.
    func boards(_ request: PreparedRequest) -> Bool {
        guard travelsInBatch else { return false }
        let part = state.withLock { $0.part }
        // Otherwise it has ended.
        guard case .item(let session, let index)? = part else { return true }
        let item: BatchItem
        do {
            item = try client.batchItem(request)
        } catch {
            finish(.failure(error))
            return true
        }
        log.sends(request.exchange)
        session.arrive(index, passenger(request, item))
        return true
    }

    /// Takes the answer to a request that went out before it became a call.
    func receive(_ answer: BatchAnswer, credential: UInt64?) {
        let item = BatchItem(method: original.exchange.method, uri: "")
        passenger(original, item).receive(answer, credential: credential)
    }

    private func passenger(_ request: PreparedRequest, _ item: BatchItem) -> BatchPassenger {
        let recorder = ExchangeRecorder(
            bodyBytesMax: client.options.bodyBytesMax,
            progressed: progressFunction(for: request)
        ) { result, recorder in
            // On a worker already, one item after the other: their objects are stored in order.
            guard self.state.update({ $0.phase.endExchange() }) else { return }
            self.received(request, result, recorder, on: .worker)
        }
        return BatchPassenger(
            item: item, url: request.exchange.url, call: self, recorder: recorder)
    }

    /// The credential of the call that carried this one counts for it.
    func wasCarried(with credential: UInt64?) {
        state.withLock { $0.attempts.credential = credential }
    }
}

extension Client {
    /// A request as part of a batch; refuses what cannot be one.
    func batchItem(_ request: PreparedRequest) throws(Failure) -> BatchItem {
        let exchange = request.exchange
        guard let uri = environment.baseURL.uri(of: exchange.url) else {
            throw Failure(
                .invalidURL,
                "\(URLText.withoutQuery(exchange.url)) is not below the base URL: a batch cannot "
                    + "hold it")
        }
        var item = BatchItem(method: exchange.method, uri: uri, headers: exchange.headers)
        switch (request.reader, exchange.body) {
        case (nil, .none):
            break
        case (nil, .bytes(let bytes)):
            guard batchFormat.takesBinaryBodies || String(validating: bytes, as: UTF8.self) != nil
            else {
                throw Failure(
                    .invalidArgument,
                    "a batch holds bodies as text, and this one is none in UTF-8", field: "body")
            }
            item.body = bytes
        default:
            throw Failure(
                .invalidArgument, "a body that a reader gives cannot be part of a batch",
                field: "body")
        }
        return item
    }
}

import RestwayHTTP
import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayOutbox

/// A server that applies each request once, by its key, and misbehaves by a script: its answer to a
/// request does not depend on when the request comes, nor on other requests.
///
/// Requests identify themselves by a header, `X-Tag`. The test fails when one request has two keys,
/// when two requests have one key, and when a local identity reaches the server.
final class OutboxServer: Sendable {
    enum Mood {
        case busy, busyForAnHour, answerLost, broken, unauthorized
    }

    /// The fate of one request, attempt by attempt.
    struct Script {
        var moods: [Mood] = []
        var isRefused = false
        /// The last answer is held back until the test releases it.
        var isSlow = false

        /// Whether the request is finally delivered: a request that was applied gets its first
        /// answer again.
        var isDelivered: Bool { !isRefused || moods.contains { $0 == .answerLost } }

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
            let all: [Mood] = [.busy, .busyForAnHour, .answerLost, .broken]
            while moods.count < 3, chance(3) { moods.append(all.randomElement(using: &random)!) }
            // It is refused once: a second refusal would be the answer of the call.
            if chance(6) { moods.append(.unauthorized) }
            isRefused = chance(6)
            isSlow = chance(6)
        }
    }

    struct Answer {
        var status: Int
        var body = ""
        var retryAfter: String?
        var isLost = false
        var isSlow = false
    }

    struct Record {
        var attempts: [Int: Int] = [:]
        var forgiven: Set<Int> = []
        var keys: [Int: String] = [:]
        var tags: [String: Int] = [:]
        var applied: [String: Answer] = [:]
        /// The applied requests, in order.
        var order: [Int] = []
        /// The names of things, by identity.
        var things: [Int64: String] = [:]
        var problems: [String] = []
        var isOnline = true
        var random: SeededRandom
    }

    let seed: UInt64
    let stopsAtFailure: Bool
    let record: Lock<Record>

    init(seed: UInt64, stopsAtFailure: Bool) {
        self.seed = seed
        self.stopsAtFailure = stopsAtFailure
        record = Lock(Record(random: SeededRandom(seed: seed)))
    }

    func script(_ tag: Int) -> Script { Script(seed: seed &* 1_000_003 &+ UInt64(tag)) }

    var isOnline: Bool { record.withLock { $0.isOnline } }

    func setOnline(_ isOnline: Bool) { record.withLock { $0.isOnline = isOnline } }

    /// From now on the server accepts the request unchanged, with a new key if needed.
    func forgive(_ tag: Int, withNewKey: Bool = false) {
        record.withLock { record in
            record.forgiven.insert(tag)
            if withNewKey { record.keys[tag] = nil }
        }
    }

    var forgiven: Set<Int> { record.withLock { $0.forgiven } }

    func hasApplied(_ tag: Int) -> Bool { record.withLock { $0.order.contains(tag) } }

    // MARK: Answers

    /// `nil` means that there is no answer.
    func answer(_ exchange: Exchange) -> Answer? {
        record.withLock { record in
            let path = String(exchange.url.dropFirst("http://api.test/v1".count))
            var body = ""
            if case .bytes(let bytes) = exchange.body {
                body = String(decoding: bytes, as: UTF8.self)
            }
            if (path + body).contains("restway-local-") {
                record.problems.append("a local identity in \(exchange.method) \(path) \(body)")
            }
            if exchange.method == "GET" { return Answer(status: 200) }
            if path == "/batch" { return batch(body, &record) }
            return one(exchange.method, path, Headers(exchange.headers), body, &record)
        }
    }

    private func one(
        _ method: String, _ path: String, _ headers: Headers, _ body: String,
        _ record: inout Record
    ) -> Answer? {
        guard let tag = headers[first: "X-Tag"].flatMap({ Int($0) }),
            let key = headers[first: "Idempotency-Key"]
        else {
            record.problems.append("\(method) \(path) has no key, or is of nobody")
            return nil
        }
        if record.keys[tag, default: key] != key || record.tags[key, default: tag] != tag {
            record.problems.append("\(tag) came with the key \(key), and another one")
        }
        (record.keys[tag], record.tags[key]) = (key, tag)
        let attempt = record.attempts[tag, default: 0]
        record.attempts[tag] = attempt + 1
        let script = script(tag)
        if attempt < script.moods.count, !record.forgiven.contains(tag) {
            switch script.moods[attempt] {
            case .busy: return Answer(status: 503)
            case .busyForAnHour: return Answer(status: 503, retryAfter: "3600")
            case .broken: return nil
            case .unauthorized: return Answer(status: 401)
            case .answerLost:
                var answer = apply(tag, key, method, path, body, &record)
                answer.isLost = true
                return answer
            }
        }
        if script.isRefused, record.applied[key] == nil, !record.forgiven.contains(tag) {
            return Answer(status: 422, body: #"{"why":"no"}"#, isSlow: script.isSlow)
        }
        var answer = apply(tag, key, method, path, body, &record)
        answer.isSlow = script.isSlow && attempt <= script.moods.count
        return answer
    }

    private func apply(
        _ tag: Int, _ key: String, _ method: String, _ path: String, _ body: String,
        _ record: inout Record
    ) -> Answer {
        if let known = record.applied[key] { return known }
        record.order.append(tag)
        var answer = Answer(status: 200, body: "{}")
        if path.hasPrefix("/things") {
            let tree = try? JSONValue.parse(body)
            let name = tree?["name"]?.string ?? ""
            let identity = Int64(path.split(separator: "/").last ?? "") ?? 0
            switch method {
            case "POST":
                let parts = (tree?["parts"]?.elements ?? []).map { part in
                    create(part["name"]?.string ?? "", &record)
                }
                var text = create(name, &record)
                if !parts.isEmpty {
                    text = text.dropLast() + #","parts":[\#(parts.joined(separator: ","))]}"#
                }
                answer = Answer(status: 201, body: text)
            case "DELETE":
                answer = Answer(status: 204)
            default:
                if record.things.updateValue(name, forKey: identity) == nil {
                    record.problems.append("\(method) \(path): no thing has this identity")
                }
                answer.body = #"{"id":\#(identity),"name":"\#(name)"}"#
            }
        }
        record.applied[key] = answer
        return answer
    }

    private func create(_ name: String, _ record: inout Record) -> String {
        let new = Int64(1_000 + record.things.count)
        record.things[new] = name
        return #"{"id":\#(new),"name":"\#(name)"}"#
    }

    // MARK: Batches

    private func batch(_ body: String, _ record: inout Record) -> Answer? {
        let mood = Int.random(in: 0..<20, using: &record.random)
        if mood == 0 { return nil }
        if mood == 1 { return Answer(status: 500) }
        let tree = try? JSONValue.parse(body)
        var hasFailed = false
        let answers = (tree?["batch"]?.elements ?? []).map { item -> JSONValue in
            var headers = Headers()
            for name in ["X-Tag", "Idempotency-Key"] {
                if let value = item["headers"]?[name]?.string { headers.set(name, value) }
            }
            // The requests were not looked at, so the answer must not be a refusal.
            var answer: Answer? = Answer(status: 424)
            if !stopsAtFailure || !hasFailed {
                answer = one(
                    item["method"]?.string ?? "", item["uri"]?.string ?? "", headers,
                    item["body"]?.string ?? "", &record)
            }
            if answer?.isLost ?? true { answer = Answer(status: 503) }
            if (answer?.status ?? 503) >= 300 { hasFailed = true }
            var members: [(key: String, value: JSONValue)] = [
                (key: "code", value: .integer(Int64(answer?.status ?? 503)))
            ]
            if let body = answer?.body, !body.isEmpty {
                members.append((key: "body", value: .string(body)))
            }
            if let wait = answer?.retryAfter {
                members.append(
                    (key: "headers", value: .object([(key: "Retry-After", value: .string(wait))])))
            }
            return .object(members)
        }
        let text = String(decoding: JSONValue.array(answers).text(), as: UTF8.self)
        switch mood {
        case 2: return Answer(status: 200, body: "no batch")
        case 3: return Answer(status: 200, body: text, isLost: true)
        default: return Answer(status: 200, body: text, isSlow: mood < 7)
        }
    }
}

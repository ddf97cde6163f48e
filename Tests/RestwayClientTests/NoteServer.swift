import RestwayHTTP
import RestwayJSON
import RestwayThreads

@testable import RestwayClient

/// A server of notes with versions, for one client and for the other devices, which the test plays.
///
/// It checks conditions, and it knows requests by their keys: it answers a repeated request as
/// before, and refuses a key that comes with another request. A test makes it misbehave.
final class NoteServer: Sendable {
    struct Note: Equatable {
        var values: [String: JSONValue]
        var version = 1

        static func == (left: Note, right: Note) -> Bool {
            left.version == right.version && left.text == right.text
        }

        /// The values as JSON, by their names.
        var text: String {
            let members = values.sorted { $0.key < $1.key }
            return String(
                decoding: JSONValue.object(members.map { ($0.key, $0.value) }).text(),
                as: UTF8.self)
        }
    }

    /// The form of the versions in answers.
    enum Tags { case strong, weak, none, lastModified, attribute }

    struct Answer {
        var status: Int
        var body = ""
        var headers: [HeaderField] = []
    }

    struct State {
        var notes: [Int64: Note] = [:]
        /// Each request as text: method, path, body, condition and the status of its answer.
        var log: [String] = []
        /// The keys of the requests of the log that change something.
        var keys: [String] = []
        var known: [String: (request: String, answer: Answer)] = [:]
        var tags = Tags.strong
        /// A proxy adds this to the tags of answers, and not to the conditions of requests.
        var tagSuffix = ""
        /// Whether the server demands a condition with each change.
        var demandsCondition = false
        /// Whether the server answers changes with 204 and without a tag.
        var isTerse = false
        /// The status and the code with which it answers a condition that does not hold.
        var refusal: (status: Int, body: String) = (412, #"{"message":"changed"}"#)
        /// The number of next changes that are applied, and whose answers are lost.
        var lostAnswers = 0
        /// The number of next changes that never arrive, although the client cannot know that.
        var lostRequests = 0
        /// A replica answers so many next GETs with this note.
        var lag: (count: Int, note: Note)?
        /// Another device does this each time a change arrives, before it is looked at.
        var meanwhile: (@Sendable (inout State) -> Void)?
        /// The statuses of the next GETs in place of their answers.
        var failures: [Int] = []
        var idLast: Int64 = 100
    }

    private let state = Lock(State())

    func with<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    // MARK: The other devices

    func put(_ id: Int64, _ json: String) {
        with { $0.put(id, json) }
    }

    /// Another device changes values of a note.
    func change(_ json: String, of id: Int64 = 1) {
        with { $0.change(id, json) }
    }

    func delete(_ id: Int64 = 1) {
        with { $0.notes[id] = nil }
    }

    // MARK: Looking

    func text(_ id: Int64 = 1) -> String? { with { $0.notes[id]?.text } }

    /// The value of one attribute as JSON.
    func value(_ name: String, _ id: Int64 = 1) -> String? {
        with { $0.notes[id]?.values[name] }.map { String(decoding: $0.text(), as: UTF8.self) }
    }

    /// Returns the requests since the last call.
    func log() -> [String] {
        with { state in
            defer { state.log = [] }
            return state.log
        }
    }

    /// Returns the keys of the changes since the last call.
    func keys() -> [String] {
        with { state in
            defer { state.keys = [] }
            return state.keys
        }
    }

    // MARK: Requests

    func serve(_ transport: FakeTransport) {
        transport.answerEach { [self] started in
            let answer = with { $0.answer(started.exchange) }
            return { started in
                guard let answer else { return started.fail(.connectionLost) }
                started.answer(answer.status, answer.body, headers: answer.headers)
            }
        }
    }
}

extension NoteServer.State {
    typealias Note = NoteServer.Note
    typealias Answer = NoteServer.Answer

    mutating func put(_ id: Int64, _ json: String) {
        var values = Self.values(json)
        values["id"] = .integer(id)
        notes[id] = Note(values: values, version: (notes[id]?.version ?? 0) + 1)
        stamp(id)
    }

    mutating func change(_ id: Int64, _ json: String) {
        for (name, value) in Self.values(json) { notes[id]?.values[name] = value }
        notes[id]?.version += 1
        stamp(id)
    }

    private mutating func stamp(_ id: Int64) {
        guard tags == .attribute, let version = notes[id]?.version else { return }
        notes[id]?.values["rev"] = .integer(Int64(version))
    }

    private static func values(_ json: String) -> [String: JSONValue] {
        let members = (try? JSONValue.parse(json))?.members ?? []
        return Dictionary(members.map { ($0.key, $0.value) }) { $1 }
    }

    // MARK: Requests

    /// Returns the answer; `nil` if it is lost.
    mutating func answer(_ exchange: Exchange) -> Answer? {
        let path = String(exchange.url.dropFirst("http://api.test/v1/".count))
        var body = ""
        if case .bytes(let bytes) = exchange.body { body = String(decoding: bytes, as: UTF8.self) }
        let headers = Headers(exchange.headers)
        let condition = headers[first: "If-Match"] ?? headers[first: "If-Unmodified-Since"]
        let key = headers[first: "Idempotency-Key"]
        let words = [exchange.method, path, body, condition ?? ""].filter { !$0.isEmpty }
        let request = words.joined(separator: " ")
        guard exchange.method != "GET" else {
            let answer = get(path)
            log.append("\(request) \(answer.status)")
            return answer
        }
        if lostRequests > 0 {
            lostRequests -= 1
            log.append("\(request) lost")
            return nil
        }
        keys.append(key ?? "")
        meanwhile?(&self)
        var answer: Answer
        if let key, let known = known[key] {
            answer = known.request == request
                ? known.answer : Answer(status: 422, body: #"{"title":"Idempotency-Key reused"}"#)
        } else {
            answer = change(exchange.method, path, body, condition)
        }
        if let key { known[key] = (request, answer) }
        guard lostAnswers == 0 else {
            lostAnswers -= 1
            log.append("\(request) \(answer.status) lost")
            return nil
        }
        log.append("\(request) \(answer.status)")
        return answer
    }

    private func id(_ path: String) -> Int64 { Int64(path.drop { $0 != "/" }.dropFirst()) ?? 0 }

    private mutating func get(_ path: String) -> Answer {
        if !failures.isEmpty { return Answer(status: failures.removeFirst()) }
        if path == "notes" {
            let all = notes.sorted { $0.key < $1.key }.map(\.value.text)
            return Answer(status: 200, body: "[" + all.joined(separator: ",") + "]")
        }
        if let lagging = lag {
            lag = lagging.count > 1 ? (lagging.count - 1, lagging.note) : nil
            return Answer(status: 200, body: lagging.note.text, headers: fields(lagging.note))
        }
        guard let note = notes[id(path)] else { return Answer(status: 404) }
        return Answer(status: 200, body: note.text, headers: fields(note))
    }

    /// The version of a note as a condition has it.
    private func condition(_ note: Note) -> String {
        switch tags {
        case .attribute: "\"\(note.version)\""
        case .lastModified: "Sun, 06 Nov 1994 08:49:\(10 + note.version) GMT"
        case .strong, .weak, .none: "\"v\(note.version)\""
        }
    }

    private func fields(_ note: Note) -> [HeaderField] {
        let text = condition(note)
        switch tags {
        case .strong:
            let tag = tagSuffix.isEmpty ? text : text.dropLast() + tagSuffix + "\""
            return [HeaderField(name: "ETag", value: tag)]
        case .weak: return [HeaderField(name: "ETag", value: "W/" + text)]
        case .lastModified: return [HeaderField(name: "Last-Modified", value: text)]
        case .none, .attribute: return []
        }
    }

    private mutating func change(
        _ method: String, _ path: String, _ body: String, _ condition: String?
    ) -> Answer {
        if method == "POST" {
            idLast += 1
            put(idLast, body)
            return Answer(status: 201, body: notes[idLast]!.text, headers: fields(notes[idLast]!))
        }
        let id = id(path)
        guard let note = notes[id] else { return Answer(status: 404) }
        if condition == nil, demandsCondition { return Answer(status: 428) }
        // A weak tag never matches (RFC 9110, section 13.1.1).
        if let condition, condition != self.condition(note) {
            let newest = refusal.body.replacing("NEWEST", by: note.text)
            return Answer(status: refusal.status, body: newest)
        }
        switch method {
        case "DELETE":
            notes[id] = nil
            return Answer(status: 204)
        case "PUT": put(id, body)
        default: change(id, body)
        }
        return isTerse
            ? Answer(status: 204)
            : Answer(status: 200, body: notes[id]!.text, headers: fields(notes[id]!))
    }
}

extension String {
    /// Returns the text with one word replaced.
    fileprivate func replacing(_ word: String, by other: String) -> String {
        let parts = split(separator: "\"\(word)\"", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: other)
    }
}

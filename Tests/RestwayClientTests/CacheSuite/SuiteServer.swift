import RestwayHTTP
import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayClient

/// The server of the public suite, for one case: what it answers to a request is in the case.
final class SuiteServer: @unchecked Sendable {
    /// A request that has reached the server.
    struct Seen {
        let number: Int?
        let method: String
        let headers: Headers
        /// The fields of the answer that the answer of the call must have, too.
        let compared: [HeaderField]
    }

    private struct State {
        var seen: [Seen] = []
        /// The fields that were sent for each step.
        var sent: [Int: [HeaderField]] = [:]
    }

    static let bodilessStatuses: Set<Int> = [204, 304]

    let test: SuiteCase
    /// Names the case in URLs; it is the body of answers, too.
    let token: String
    private let clock: ManualClock
    private let state = Lock(State())

    init(_ test: SuiteCase, number: Int, clock: ManualClock) {
        self.test = test
        self.clock = clock
        let digits = String(number, radix: 16)
        token =
            "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    var seen: [Seen] { state.withLock { $0.seen } }

    /// `nil` means that the connection ends without an answer.
    func answer(_ request: SuiteRequest) -> SuiteAnswer? {
        state.withLock { state in
            let count = state.seen.count + 1
            let number = request.headers[first: "Req-Num"].flatMap { Int($0) }
            let index = (number ?? count) - 1
            guard test.steps.indices.contains(index) else {
                return SuiteAnswer(status: 409, headers: Headers(), body: "no such request")
            }
            let step = test.steps[index]
            if let pause = step["response_pause"]?.integer {
                clock.advance(milliseconds: pause * 1_000)
            }
            let now = clock.wallMicroseconds() / 1_000
            var headers = Headers([
                HeaderField(name: "Server-Base-Url", value: request.path),
                HeaderField(name: "Server-Request-Count", value: "\(count)"),
                HeaderField(
                    name: "Client-Request-Count", value: number.map { "\($0)" } ?? "NaN"),
                HeaderField(name: "Server-Now", value: "\(now)"),
            ])
            let fields = step.fields("response_headers")
            let sent = fields.map { SuiteText.field($0, step, headers) }
            headers.fields += sent
            if headers[first: "Content-Type"] == nil { headers.set("Content-Type", "text/plain") }
            if headers[first: "Date"] == nil {
                headers.set("Date", SuiteText.date(milliseconds: now))
            }
            let compared = zip(fields, sent).filter { $0.0.isCompared }.map { $0.1 }
            let (status, reason) = status(step, index, request, state)
            state.sent[index] = sent
            state.seen.append(
                Seen(
                    number: number, method: request.method, headers: request.headers,
                    compared: compared))
            let numbers = state.seen.map { $0.number.map { "\($0)" } ?? "NaN" }
            headers.set("Request-Numbers", numbers.joined(separator: " "))
            if step.isSet("disconnect") { return nil }
            let hasBody = !Self.bodilessStatuses.contains(status)
            let text = step.text("response_body").flatMap { $0.isEmpty ? nil : $0 } ?? token
            if hasBody, headers[first: "Content-Length"] == nil {
                headers.set("Content-Length", "\(text.utf8.count)")
            }
            let body = hasBody && request.method != "HEAD" ? text : ""
            return SuiteAnswer(status: status, reason: reason, headers: headers, body: body)
        }
    }

    private func status(
        _ step: SuiteStep, _ index: Int, _ request: SuiteRequest, _ state: State
    ) -> (Int, String) {
        let stated = step["response_status"]?.elements
        let status = (Int(stated?[0].integer ?? 200), stated?[1].string ?? "OK")
        guard step.text("expected_type")?.hasSuffix("validated") == true else { return status }
        for (validator, condition) in [
            ("Last-Modified", "If-Modified-Since"), ("ETag", "If-None-Match"),
        ] {
            let known = Headers(sent(index - 1, state))[first: validator]
            if let known, request.headers[first: condition] == known {
                return (304, "Not Modified")
            }
        }
        return (999, "304 Not Generated")
    }

    /// The fields of the answer to a step. If the step did not reach the server, they are those
    /// that do not depend on the time.
    private func sent(_ index: Int, _ state: State) -> [HeaderField] {
        state.sent[index]
            ?? test.steps[index].fields("response_headers").compactMap { field in
                field.value.string.map { HeaderField(name: field.name, value: $0) }
            }
    }
}

/// The values of header fields that depend on the time or the URL.
enum SuiteText {
    private static let dateNames: Set<String> = [
        "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
    ]
    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter answer: The fields that the server adds to each answer.
    static func field(
        _ field: SuiteStep.Field, _ step: SuiteStep, _ answer: Headers
    ) -> HeaderField {
        let name = field.name.lowercased()
        var value = field.value.string ?? field.value.integer.map { "\($0)" } ?? ""
        if let offset = field.value.integer, dateNames.contains(name),
            let now = answer[first: "Server-Now"].flatMap({ Int64($0) })
        {
            let old = (step["rfc850date"]?.elements ?? []).contains { $0.string == name }
            value = date(milliseconds: now + offset * 1_000, isRFC850: old)
        }
        if ["location", "content-location"].contains(name), step.isSet("magic_locations") {
            let base = answer[first: "Server-Base-Url"] ?? ""
            value = value.isEmpty ? base : base + "/" + value
        }
        return HeaderField(name: field.name, value: value)
    }

    static func date(milliseconds: Int64, isRFC850: Bool = false) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let weekday = weekdays[Int(parts.tm_wday)]
        let month = months[Int(parts.tm_mon)]
        let year = parts.tm_year + 1_900
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
        return isRFC850
            ? "\(weekday), \(two(parts.tm_mday))-\(month)-\(two(year % 100)) \(time)"
            : "\(weekday.prefix(3)), \(two(parts.tm_mday)) \(month) \(year) \(time)"
    }
}

import RestwayHTTP
import RestwayJSON
import RestwayThreads

@testable import RestwayClient

/// Sends the requests of a case through a cache.
protocol SuiteDriver {
    /// `nil` if the call failed.
    func perform(_ request: SuiteRequest) -> SuiteAnswer?
    /// Waits until nothing is done in the background any more.
    func settle()
}

/// Runs one case, and judges it as the client of the public suite does.
struct SuiteRunner {
    /// Why a case has failed.
    struct Problem: Error {
        let text: String
        /// Whether only the preparation of the case has failed.
        let isSetup: Bool
    }

    let server: SuiteServer
    let clock: ManualClock
    let driver: any SuiteDriver

    private var test: SuiteCase { server.test }

    func run() -> Problem? {
        do {
            var answers: [SuiteAnswer] = []
            for (index, step) in test.steps.enumerated() {
                let answer = driver.perform(request(step, index, answers.last))
                driver.settle()
                answers.append(try judged(answer, step, index + 1))
                if step.isSet("pause_after") { clock.advance(milliseconds: 3_000) }
            }
            try judgeServer(answers)
            return nil
        } catch {
            return error
        }
    }

    private func request(
        _ step: SuiteStep, _ index: Int, _ previous: SuiteAnswer?
    ) -> SuiteRequest {
        var path = "/test/" + server.token
        if let name = step.text("filename") { path += "/" + name }
        if let query = step.text("query_arg") { path += "?" + query }
        var headers = Headers()
        for field in step.fields("request_headers") {
            let given =
                step.isSet("magic_ims") && field.name.lowercased() == "if-modified-since"
                ? SuiteText.field(field, step, previous?.headers ?? Headers())
                : HeaderField(
                    name: field.name, value: field.value.string ?? "\(field.value.integer ?? 0)")
            headers.fields.append(
                HeaderField(
                    name: given.name, value: String(Headers.trimmed(Substring(given.value)))))
        }
        headers.fields += [
            HeaderField(name: "Test-ID", value: test.id),
            HeaderField(name: "Req-Num", value: "\(index + 1)"),
        ]
        return SuiteRequest(
            method: step.text("request_method") ?? "GET", path: path, headers: headers,
            body: step.text("request_body"), mode: step.text("cache"))
    }

    private func require(_ holds: Bool, _ isSetup: Bool, _ text: String) throws(Problem) {
        if !holds { throw Problem(text: text, isSetup: isSetup) }
    }

    /// Judges the answer of a call. A failed call counts as the 504 of a proxy where the case
    /// expects one, or accepts any status.
    private func judged(
        _ answer: SuiteAnswer?, _ step: SuiteStep, _ number: Int
    ) throws(Problem) -> SuiteAnswer {
        var answer = answer
        let expected = step["expected_status"]
        if answer == nil, let expected, expected.isNull || expected.integer == 504 {
            answer = SuiteAnswer(status: 504, headers: Headers(), body: "")
        }
        guard let answer else {
            throw Problem(text: "request \(number) failed", isSetup: step.isSet("setup"))
        }
        let numbers = answer.headers[first: "Request-Numbers"]?.split(separator: " ") ?? []
        try require(Set(numbers).count == numbers.count, true, "request \(number) was repeated")
        try judgeType(answer, step, number)
        try judgeStatus(answer, step, number)
        try judgeHeaders(answer, step, number)
        try judgeBody(answer, step, number)
        return answer
    }

    private func judgeType(
        _ answer: SuiteAnswer, _ step: SuiteStep, _ number: Int
    ) throws(Problem) {
        let count = answer.headers[first: "Server-Request-Count"].flatMap { Int($0) }
        let isSetup = step.isSetup("expected_type")
        switch step.text("expected_type") {
        case "cached" where answer.status != 304 || count != nil:
            try require(
                count.map { $0 < number } ?? false, isSetup,
                "answer \(number) is not from the cache")
        case "not_cached":
            try require(count == number, isSetup, "answer \(number) is from the cache")
        default: break
        }
    }

    private func judgeStatus(
        _ answer: SuiteAnswer, _ step: SuiteStep, _ number: Int
    ) throws(Problem) {
        let text = "answer \(number) has the status \(answer.status)"
        if let expected = step["expected_status"] {
            guard let status = expected.integer else { return }
            try require(answer.status == Int(status), step.isSetup("expected_status"), text)
        } else if let stated = step["response_status"]?.elements?.first?.integer {
            try require(answer.status == Int(stated), true, text)
        } else if answer.status == 999 {
            throw Problem(
                text: "request \(number) had no condition", isSetup: step.isSetup("expected_type"))
        } else {
            try require(answer.status == 200, true, text)
        }
    }

    private func judgeHeaders(
        _ answer: SuiteAnswer, _ step: SuiteStep, _ number: Int
    ) throws(Problem) {
        let isSetup = step.isSetup("expected_response_headers")
        for expected in step["expected_response_headers"]?.elements ?? [] {
            let parts = expected.elements ?? [expected]
            let name = parts[0].string ?? ""
            let value = answer.headers.joined(name)
            try require(value != nil, isSetup, "answer \(number) has no \(name)")
            let holds: Bool
            if parts.count == 3, parts[1].string == "=" {
                holds = value == answer.headers.joined(parts[2].string ?? "")
            } else if parts.count == 3 {
                holds = value.flatMap { Int64($0) }.map { $0 > parts[2].integer ?? 0 } ?? false
            } else if parts.count == 2 {
                let field = SuiteStep.Field(name: name, value: parts[1], isCompared: true)
                holds = value == SuiteText.field(field, step, answer.headers).value
            } else {
                holds = true
            }
            try require(holds, isSetup, "answer \(number) has \(name): \(value ?? "")")
        }
        let areMissingSetup = step.isSetup("expected_response_headers_missing")
        for missing in step["expected_response_headers_missing"]?.elements ?? [] {
            let parts = missing.elements ?? [missing]
            let name = parts[0].string ?? ""
            guard let value = answer.headers.joined(name) else { continue }
            let isThere = parts.count < 2 || value.contains(parts[1].string ?? "")
            try require(!isThere, areMissingSetup, "answer \(number) has \(name): \(value)")
        }
    }

    private func judgeBody(
        _ answer: SuiteAnswer, _ step: SuiteStep, _ number: Int
    ) throws(Problem) {
        if step["check_body"]?.bool == false { return }
        let text = "the body of answer \(number) is \(answer.body)"
        if let expected = step["expected_response_text"] {
            guard let body = expected.string else { return }
            try require(answer.body == body, step.isSetup("expected_response_text"), text)
        } else if let body = step.text("response_body") {
            try require(answer.body == body, true, text)
        } else if !SuiteServer.bodilessStatuses.contains(answer.status),
            step.text("request_method") != "HEAD"
        {
            try require(answer.body == server.token, true, text)
        }
    }

    /// Compares the requests of the case with those that have reached the server.
    private func judgeServer(_ answers: [SuiteAnswer]) throws(Problem) {
        let all = server.seen
        var position = 0
        for (index, step) in test.steps.enumerated() {
            let type = step.text("expected_type")
            if type == "cached" { continue }
            let seen = position < all.count ? all[position] : nil
            position += 1
            let isSetup = step.isSetup("expected_type")
            if type == "not_cached" {
                try require(
                    seen?.number == index + 1, isSetup, "answer \(index + 1) is from the cache")
            }
            if let type, type.hasSuffix("validated") {
                let name = type == "etag_validated" ? "If-None-Match" : "If-Modified-Since"
                try require(
                    seen?.headers[first: name] != nil, isSetup,
                    "request \(index + 1) has no \(name)")
            }
            try judgeRequest(seen, step, index + 1)
            for field in seen?.compared ?? []
            where !["date", "set-cookie", "set-cookie2"].contains(field.name.lowercased()) {
                let sent = Headers(seen?.compared ?? []).joined(field.name)
                let value = answers[index].headers.joined(field.name)
                try require(
                    value == sent, true, "answer \(index + 1) has \(field.name): \(value ?? "")")
            }
        }
    }

    private func judgeRequest(
        _ seen: SuiteServer.Seen?, _ step: SuiteStep, _ number: Int
    ) throws(Problem) {
        let isSetup = step.isSetup("expected_request_headers")
        for expected in step["expected_request_headers"]?.elements ?? [] {
            let parts = expected.elements ?? [expected]
            let name = parts[0].string ?? ""
            let value = seen?.headers.joined(name)
            let holds = parts.count < 2 ? value != nil : value == parts[1].string
            try require(holds, isSetup, "request \(number) has \(name): \(value ?? "nothing")")
        }
        for missing in step["expected_request_headers_missing"]?.elements ?? [] {
            let parts = missing.elements ?? [missing]
            let name = parts[0].string ?? ""
            let value = seen?.headers.joined(name)
            let holds = parts.count < 2 ? value == nil : value != parts[1].string
            try require(holds, isSetup, "request \(number) has \(name): \(value ?? "")")
        }
        if let method = step.text("expected_method") {
            try require(
                seen?.method == method, step.isSetup("expected_method"),
                "request \(number) had another method")
        }
    }
}

import RestwayHTTP

/// Writes an exchange as a curl command for a POSIX shell.
struct CurlCommand {
    let exchange: Exchange
    /// The body is read while it is sent: the command takes it from its standard input.
    var isBodyRead = false
    /// `nil` writes secrets out.
    let redaction: Redaction?
    let certificateFile: String?

    var text: String {
        var words = ["curl", "--globoff", "--path-as-is"]
        switch exchange.method {
        case "GET": break
        case "HEAD": words.append("--head")
        default: words += ["--request", exchange.method]
        }
        if let certificateFile { words += ["--cacert", quoted(certificateFile)] }
        // curl adds these by itself unless they are named without a value.
        for name in ["Accept", "User-Agent"]
        where !exchange.headers.contains(where: { $0.isNamed(name) }) {
            words += ["--header", quoted("\(name):")]
        }
        for field in exchange.headers {
            let value = redaction?.header(field) ?? field.value
            // curl sends a header without a value only when it ends with a semicolon.
            let line = value.isEmpty ? "\(field.name);" : "\(field.name): \(value)"
            words += ["--header", quoted(line)]
        }
        if case .bytes(let bytes) = exchange.body {
            if let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") {
                words += ["--data-raw", quoted(text)]
            } else {
                // Bytes that no shell word can hold.
                words += ["--data-binary", "@-"]
                let octal = bytes.map { Self.octal($0) }.joined()
                let url = redaction?.url(exchange.url) ?? exchange.url
                return "printf '\(octal)' | " + (words + [quoted(url)]).joined(separator: " ")
            }
        }
        if isBodyRead { words += ["--data-binary", "@-"] }
        words.append(quoted(redaction?.url(exchange.url) ?? exchange.url))
        return words.joined(separator: " ")
    }

    /// A word in single quotes; a quote inside closes, stands escaped, and opens again.
    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

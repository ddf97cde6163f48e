package import RestwayDocument
package import RestwayHTTP
import RestwayText

/// Writes an exchange as a curl command for a POSIX shell.
package struct CurlCommand {
    package let exchange: Exchange
    /// Whether the body is read while it is sent. Then the command reads it from its standard
    /// input.
    package var isBodyRead = false
    /// Hides secrets; `nil` writes them out.
    package let redaction: Redaction?
    package let network: NetworkSettings

    package var text: String {
        var words = ["curl", "--globoff", "--path-as-is"]
        switch exchange.method {
        case "GET": break
        case "HEAD": words.append("--head")
        default: words += ["--request", word(exchange.method)]
        }
        for (option, value) in CurlNetwork(network, url: exchange.url).words {
            words.append(option)
            if let value { words.append(quoted(value)) }
        }
        // curl adds these headers by itself unless they are named without a value.
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
        if case .bytes(let content) = exchange.body {
            let bytes = redaction?.body(content, exchange.headers) ?? content
            if let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") {
                words += ["--data-raw", quoted(text)]
            } else {
                // A shell word cannot hold these bytes.
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

    /// Returns a word without quotes if the shell takes all of its bytes as they are.
    private func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        return isPlain ? text : quoted(text)
    }

    /// Puts a word in single quotes. For a quote inside, it closes the quotes, writes the quote
    /// escaped, and opens them again.
    private func quoted(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension PreparedRequest {
    /// Returns the curl command that sends the request.
    ///
    /// - Parameters:
    ///   - exchange: The exchange of the request, with its credential.
    ///   - redaction: Hides secrets; `nil` writes them out.
    ///   - network: How the client connects.
    package func curlCommand(
        sending exchange: Exchange, redaction: Redaction?, network: NetworkSettings
    ) -> String {
        CurlCommand(
            exchange: exchange, isBodyRead: reader != nil, redaction: redaction,
            network: network
        ).text
    }
}

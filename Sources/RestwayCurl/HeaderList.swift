import CCurl
import Glibc
import RestwayHTTP

/// The headers of a request in libcurl's form.
struct HeaderList: ~Copyable {
    /// The transport decides the framing, so these headers of a caller are left out.
    private static let ownNames = ["Content-Length", "Transfer-Encoding"]
    /// libcurl adds these headers if they are missing. All headers are decided here, so it must
    /// not.
    private static let unwantedNames = ["Accept", "Expect"]

    private var list: UnsafeMutablePointer<curl_slist>?
    private var line: [UInt8] = []

    deinit {
        curl_slist_free_all(list)
    }

    /// Sets the headers; false if there is no memory.
    mutating func set(
        _ headers: [HeaderField], sendsBody: Bool, on easy: UnsafeMutableRawPointer
    ) -> Bool {
        curl_slist_free_all(list)
        list = nil
        guard build(headers, sendsBody) else {
            rw_easy_set_list(easy, CURLOPT_HTTPHEADER, nil)
            return false
        }
        rw_easy_set_list(easy, CURLOPT_HTTPHEADER, list)
        // libcurl sends these cookies and the cookies of its jar in one header. As a header in the
        // list, these cookies would be a second `Cookie` header.
        let cookies = headers.filter { $0.isNamed("Cookie") }.map(\.value)
            .joined(separator: "; ")
        let code = rw_easy_set_string(easy, CURLOPT_COOKIE, cookies.isEmpty ? nil : cookies)
        return code == CURLE_OK
    }

    /// Overwrites and removes the headers, because they contained a credential.
    ///
    /// - Parameter inspect: For tests; receives the bytes of the lines afterwards.
    mutating func wipe(
        on easy: UnsafeMutableRawPointer, inspect: ((UnsafeRawBufferPointer) -> Void)? = nil
    ) {
        rw_easy_set_list(easy, CURLOPT_HTTPHEADER, nil)
        rw_easy_set_string(easy, CURLOPT_COOKIE, nil)
        var node = list
        while let here = node {
            if let text = here.pointee.data {
                let bytes = UnsafeMutableRawBufferPointer(start: text, count: strlen(text))
                explicit_bzero(text, bytes.count)
                inspect?(UnsafeRawBufferPointer(bytes))
            }
            node = here.pointee.next
        }
        curl_slist_free_all(list)
        list = nil
        line.append(contentsOf: repeatElement(0, count: line.capacity - line.count))
        line.withUnsafeMutableBytes { line in
            guard let start = line.baseAddress else { return }
            explicit_bzero(start, line.count)
            inspect?(UnsafeRawBufferPointer(line))
        }
    }

    private mutating func build(_ headers: [HeaderField], _ sendsBody: Bool) -> Bool {
        for field in headers {
            if Self.ownNames.contains(where: field.isNamed) || field.isNamed("Cookie") { continue }
            guard append(field.name, field.value.isEmpty ? ";" : ": ", field.value) else {
                return false
            }
        }
        var unwanted = Self.unwantedNames
        if sendsBody { unwanted.append("Content-Type") }
        for name in unwanted where !headers.contains(where: { $0.isNamed(name) }) {
            guard append(name, ":", "") else { return false }
        }
        return true
    }

    /// Appends a line. "Name: value" is usual, "Name;" sends an empty value and "Name:" sends no
    /// header.
    private mutating func append(_ name: String, _ separator: String, _ value: String) -> Bool {
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: name.utf8)
        line.append(contentsOf: separator.utf8)
        line.append(contentsOf: value.utf8)
        line.append(0)
        let appended = line.withUnsafeBytes { line in
            curl_slist_append(list, line.assumingMemoryBound(to: CChar.self).baseAddress)
        }
        guard let longer = appended else { return false }
        list = longer
        return true
    }
}

import RestwayClient
import RestwayHTTP
import RestwayJSON
import RestwayRouting

/// Arguments from C, checked. What is wrong with one is a failure that names it.
enum Argument {
    static func null(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is NULL", field: name)
    }

    static func handle<Object: AnyObject>(
        _ type: Object.Type, _ handle: OpaquePointer?, _ name: String
    ) throws(Failure) -> Object {
        guard let object = Handle.object(type, handle) else { throw null(name) }
        return object
    }

    /// A NUL-terminated UTF-8 string.
    static func string(
        _ text: UnsafePointer<CChar>?, _ name: String
    ) throws(Failure) -> String {
        guard let text else { throw null(name) }
        guard let string = String(validatingCString: text) else { throw notUTF8(name) }
        return string
    }

    /// A NUL-terminated UTF-8 string that must not be empty.
    static func nonEmptyString(
        _ text: UnsafePointer<CChar>?, _ name: String
    ) throws(Failure) -> String {
        let string = try string(text, name)
        guard !string.isEmpty else {
            throw Failure(.invalidArgument, "\(name) is empty", field: name)
        }
        return string
    }

    static func optionalString(
        _ text: UnsafePointer<CChar>?, _ name: String
    ) throws(Failure) -> String? {
        text == nil ? nil : try string(text, name)
    }

    /// `length` bytes of UTF-8.
    static func string(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ name: String
    ) throws(Failure) -> String {
        let bytes = try bytes(text, length, name)
        guard let string = String(validating: bytes, as: UTF8.self) else { throw notUTF8(name) }
        return string
    }

    /// `length` bytes, which may stand at NULL when there are none.
    static func bytes(
        _ start: UnsafeRawPointer?, _ length: Int, _ name: String
    ) throws(Failure) -> UnsafeRawBufferPointer {
        guard length >= 0 else {
            throw Failure(
                .invalidArgument, "the length of \(name) is beyond the address space", field: name)
        }
        guard start != nil || length == 0 else { throw null(name) }
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    /// `count` elements of an array, which may stand at NULL when there are none.
    static func elements<Element>(
        _ start: UnsafePointer<Element>?, _ count: Int, _ name: String
    ) throws(Failure) -> UnsafeBufferPointer<Element> {
        let (_, isTooMany) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard count >= 0, !isTooMany else {
            throw Failure(
                .invalidArgument, "the count of \(name) is beyond the address space", field: name)
        }
        guard start != nil || count == 0 else { throw null(name) }
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// JSON text, at most as long as the address space.
    static func json(
        _ text: UnsafePointer<CChar>?, _ length: Int
    ) throws(Failure) -> UnsafeRawBufferPointer {
        guard text != nil else { throw null("json") }
        return try bytes(text, length, "json")
    }

    static func out<Value>(
        _ pointer: UnsafeMutablePointer<Value>?, _ name: String
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        guard let pointer else { throw null(name) }
        return pointer
    }

    /// A bound on waiting: 0 for none.
    static func wait(_ milliseconds: Int64) throws(Failure) {
        guard milliseconds >= 0 else {
            throw Failure(
                .invalidArgument, "milliseconds is negative: \(milliseconds)",
                field: "milliseconds")
        }
    }

    static func method(_ token: UnsafePointer<CChar>?) throws(Failure) -> Method {
        let token = try string(token, "method")
        if let method = Method(token: token) { return method }
        let all = Method.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(
            .invalidArgument, "method is \"\(token)\"; there are \(all)", field: "method")
    }

    /// The members of a JSON object.
    static func jsonObject(
        _ text: UnsafePointer<CChar>?, _ length: Int
    ) throws(Failure) -> [(key: String, value: JSONValue)] {
        let text = try json(text, length)
        let value: JSONValue
        do {
            value = try JSONValue.parse(text)
        } catch {
            throw Failure(.invalidArgument, "json: \(error.message)", field: "json")
        }
        guard let members = value.members else {
            throw Failure(
                .invalidArgument, "json is not an object but \(value.kind.withArticle)",
                field: "json")
        }
        return members
    }

    static func headerValue(_ value: String, _ name: String) throws(Failure) {
        guard Headers.isValidValue(value) else {
            throw Failure(
                .invalidArgument, "\(name) holds a character that a header value may not have",
                field: name)
        }
    }

    static func notUTF8(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is not valid UTF-8", field: name)
    }
}

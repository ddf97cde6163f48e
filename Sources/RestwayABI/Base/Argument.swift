import RestwayCalls
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayRouting

/// Checks arguments from C. A wrong argument throws a failure that names it.
enum Argument {
    /// No processor has more memory at the addresses of one process. A larger length is a mistake,
    /// and copying that many bytes would end the process.
    private static let memoryBytesMax = 1 << 56

    static func null(_ name: String) -> Failure {
        Failure(.invalidArgument, "\(name) is NULL", field: name)
    }

    /// Returns the object of a handle that must not be NULL. A forked child does not get the
    /// parent's objects.
    static func handle<Object: HandleObject>(
        _ type: Object.Type, _ handle: OpaquePointer?, _ name: String
    ) throws(Failure) -> Object {
        guard let object = Handle.inherited(type, handle) else { throw null(name) }
        guard object.isOfThisProcess else { throw forked(name) }
        return object
    }

    /// Returns the object of a handle that may be NULL.
    static func optionalHandle<Object: HandleObject>(
        _ type: Object.Type, _ handle: OpaquePointer?, _ name: String
    ) throws(Failure) -> Object? {
        handle == nil ? nil : try self.handle(type, handle, name)
    }

    static func forked(_ name: String) -> Failure {
        Failure(
            .forked, "\(name) was made before a fork: the child can only release it", field: name)
    }

    /// Reads a NUL-terminated UTF-8 string.
    static func string(
        _ text: UnsafePointer<CChar>?, _ name: String
    ) throws(Failure) -> String {
        guard let text else { throw null(name) }
        guard let string = String(validatingCString: text) else { throw notUTF8(name) }
        return string
    }

    /// Reads a NUL-terminated UTF-8 string that must not be empty.
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

    /// Reads `length` bytes of UTF-8.
    static func string(
        _ text: UnsafePointer<CChar>?, _ length: Int, _ name: String
    ) throws(Failure) -> String {
        let bytes = try bytes(text, length, name)
        guard let string = String(validating: bytes, as: UTF8.self) else { throw notUTF8(name) }
        return string
    }

    /// Reads `length` bytes. The pointer may be NULL if there are none.
    static func bytes(
        _ start: UnsafeRawPointer?, _ length: Int, _ name: String
    ) throws(Failure) -> UnsafeRawBufferPointer {
        guard (0...memoryBytesMax).contains(length) else {
            throw Failure(
                .invalidArgument, "the length of \(name) is beyond the address space", field: name)
        }
        guard start != nil || length == 0 else { throw null(name) }
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    /// Reads `count` elements of an array. The pointer may be NULL if there are none.
    static func elements<Element>(
        _ start: UnsafePointer<Element>?, _ count: Int, _ name: String
    ) throws(Failure) -> UnsafeBufferPointer<Element> {
        guard (0...memoryBytesMax / MemoryLayout<Element>.stride).contains(count) else {
            throw Failure(
                .invalidArgument, "the count of \(name) is beyond the address space", field: name)
        }
        guard start != nil || count == 0 else { throw null(name) }
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Checks an array for `count` elements that are to be written. The pointer may be NULL if
    /// there are none.
    static func room<Element>(
        for start: UnsafeMutablePointer<Element>?, _ count: Int, _ name: String
    ) throws(Failure) -> UnsafeMutableBufferPointer<Element> {
        let elements = try elements(UnsafePointer(start), count, name)
        return UnsafeMutableBufferPointer(mutating: elements)
    }

    /// Reads JSON text, at most as long as the address space.
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

    /// Checks a time limit for waiting; 0 is no limit.
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

    /// Reads the members of a JSON object.
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

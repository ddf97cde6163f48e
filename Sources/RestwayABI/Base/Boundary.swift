import CRestway
import RestwayAuth
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A NUL-terminated text of C.
public typealias CString = UnsafePointer<CChar>

/// A value of the program that a function reads.
public typealias In<Value> = UnsafePointer<Value>

/// A place of the program to which a function writes.
public typealias Out<Value> = UnsafeMutablePointer<Value>

/// A handle that the program passes, which may be NULL.
public typealias InHandle = OpaquePointer?

/// A place of the program that receives a handle.
public typealias OutHandle = Out<OpaquePointer?>

/// The code shared by all functions of the header that can fail.
enum Boundary {
    /// Runs `body`. A failure becomes a status and, if the caller asks for it, an error handle.
    static func run(_ outError: OutHandle?, _ body: () throws(Failure) -> Void) -> restway_status {
        outError?.pointee = nil
        do {
            try body()
            return .RESTWAY_OK
        } catch {
            outError?.pointee = Handle.give(ErrorHandle(error))
            return restway_status(error)
        }
    }

    /// Runs `make` and gives its result to the program.
    ///
    /// - Parameter name: The name of `outHandle` if it must not be NULL.
    static func creating<Object: HandleObject>(
        _ outHandle: OutHandle?, _ outError: OutHandle?, _ name: String? = nil,
        _ make: () throws(Failure) -> Object
    ) -> restway_status {
        outHandle?.pointee = nil
        return run(outError) { () throws(Failure) in
            if let name { _ = try Argument.out(outHandle, name) }
            let object = try make()
            outHandle?.pointee = Handle.give(object)
        }
    }

    /// Runs `find` and writes its result to `out`, which has `zero` after a failure.
    ///
    /// - Parameter name: The name of `out` if it must not be NULL.
    static func writing<Value>(
        _ out: Out<Value>?, _ zero: Value, _ outError: OutHandle?, _ name: String? = nil,
        _ find: () throws(Failure) -> Value
    ) -> restway_status {
        out?.pointee = zero
        return run(outError) { () throws(Failure) in
            if let name { _ = try Argument.out(out, name) }
            let value = try find()
            out?.pointee = value
        }
    }

    /// Runs `make` and writes its result, NUL-terminated, into a buffer of the program. A text that
    /// is too long for the buffer is cut off. `outLength` gets the length of the whole text.
    static func filling(
        _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?,
        _ make: () throws(Failure) -> String
    ) -> restway_status {
        outLength?.pointee = 0
        if capacity > 0 { buffer?.pointee = 0 }
        return run(outError) { () throws(Failure) in
            _ = try Argument.bytes(buffer, capacity, "buffer")
            let text = Array(try make().utf8)
            outLength?.pointee = text.count
            guard let buffer, capacity > 0 else { return }
            var count = min(text.count, capacity - 1)
            // The text is not cut inside a character, so that it stays UTF-8.
            while count > 0, count < text.count, text[count] & 0xC0 == 0x80 { count -= 1 }
            for index in 0..<count { buffer[index] = CChar(bitPattern: text[index]) }
            buffer[count] = 0
        }
    }
}

/// An object that functions of the header take as an argument.
protocol ArgumentObject: HandleObject {
    associatedtype Content = Self

    /// The name of the parameters that take handles of this type.
    static var parameter: String { get }
    /// The object that a function works with. It is this object itself, except for a handle object
    /// whose end has an effect: there it is the object that the handle refers to. So the last
    /// release of a client closes the client even while a function runs.
    var content: Content { get }
}

extension AnswerHandle: ArgumentObject { static let parameter = "answer" }
extension ActiveCallsHandle: ArgumentObject { static let parameter = "calls" }
extension APIHandle: ArgumentObject { static let parameter = "api" }
extension BatchReaderHandle: ArgumentObject { static let parameter = "reader" }
extension BatchWriterHandle: ArgumentObject { static let parameter = "writer" }
extension Call: ArgumentObject { static let parameter = "call" }
extension DraftHandle: ArgumentObject { static let parameter = "draft" }
extension ErrorHandle: ArgumentObject { static let parameter = "error" }
extension ExchangeHandle: ArgumentObject { static let parameter = "exchange" }
extension FailureHandle: ArgumentObject { static let parameter = "failure" }
extension LifecycleEventHandle: ArgumentObject { static let parameter = "event" }
extension ListHandle: ArgumentObject { static let parameter = "list" }
extension Interrupt: ArgumentObject { static let parameter = "interrupt" }
extension ManualClock: ArgumentObject { static let parameter = "clock" }
extension QueryHandle: ArgumentObject { static let parameter = "query" }
extension RefreshTicket: ArgumentObject { static let parameter = "refresh" }
extension RequestHandle: ArgumentObject { static let parameter = "request" }
extension ResponseHandle: ArgumentObject { static let parameter = "response" }
extension RoutingClientHandle: ArgumentObject { static let parameter = "routing" }
extension RowsHandle: ArgumentObject { static let parameter = "rows" }
extension ScopeHandle: ArgumentObject { static let parameter = "scope" }
extension Snapshot: ArgumentObject { static let parameter = "object" }
extension StoreHandle: ArgumentObject { static let parameter = "store" }
extension ValuesHandle: ArgumentObject { static let parameter = "values" }

extension ArgumentObject where Content == Self {
    var content: Self { self }
}

extension ArgumentObject {
    /// Returns the content of a handle that must not be NULL. A forked child does not get the
    /// parent's objects.
    static func argument(
        _ handle: InHandle, _ name: String = parameter
    ) throws(Failure) -> Content {
        guard let object = Self.inherited(handle) else { throw Argument.null(name) }
        guard object.isOfThisProcess else {
            let reason = "\(name) was made before a fork: the child can only release it"
            throw Failure(.forked, reason, field: name)
        }
        return object.content
    }

    /// Runs `body` with the content of `handle`, as `Boundary.run` does.
    static func using(
        _ handle: InHandle, _ outError: OutHandle?, _ body: (Content) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in try body(try argument(handle)) }
    }

    /// Gives the program the object that `make` returns for the content of `handle`, as
    /// `Boundary.creating` does.
    static func creating<Object: HandleObject>(
        _ handle: InHandle, _ outHandle: OutHandle?, _ outError: OutHandle?,
        _ name: String? = nil, _ make: (Content) throws(Failure) -> Object
    ) -> restway_status {
        Boundary.creating(outHandle, outError, name) { () throws(Failure) in
            try make(try argument(handle))
        }
    }

    /// Writes the value that `find` returns for the content of `handle`, as `Boundary.writing`
    /// does.
    static func writing<Value>(
        _ handle: InHandle, _ out: Out<Value>?, _ zero: Value, _ outError: OutHandle?,
        _ name: String? = nil, _ find: (Content) throws(Failure) -> Value
    ) -> restway_status {
        Boundary.writing(out, zero, outError, name) { () throws(Failure) in
            try find(try argument(handle))
        }
    }
}

/// Checks arguments from C. A wrong argument throws a failure that names it.
enum Argument {
    /// No processor has more memory at the addresses of one process. A larger length is a mistake,
    /// and copying that many bytes would end the process.
    private static let memoryBytesMax = 1 << 56

    /// Returns the failure of a call with a wrong argument.
    static func wrong(_ name: String, _ message: String) -> Failure {
        Failure(.invalidArgument, message, field: name)
    }

    static func null(_ name: String) -> Failure {
        wrong(name, "\(name) is NULL")
    }

    static func outOfRange(_ name: String, _ value: Int64) -> Failure {
        wrong(name, "\(name) is out of range: \(value)")
    }

    /// Refuses a number outside of `allowed`.
    @discardableResult
    static func inRange(
        _ value: some BinaryInteger, _ allowed: ClosedRange<Int64>, _ name: String
    ) throws(Failure) -> Int64 {
        let value = Int64(value)
        guard allowed.contains(value) else { throw NumberBounds.outOfRange(value, allowed, name) }
        return value
    }

    /// Reads a number of an option struct; `nil` for the default.
    static func number(
        _ value: some BinaryInteger, _ bounds: NumberBounds, _ name: String
    ) throws(Failure) -> Int64? {
        try bounds.read(Int64(value), name)
    }

    private static func notUTF8(_ name: String) -> Failure {
        wrong(name, "\(name) is not valid UTF-8")
    }

    /// Reads a NUL-terminated UTF-8 string.
    static func string(_ text: CString?, _ name: String) throws(Failure) -> String {
        guard let text else { throw null(name) }
        guard let string = String(validatingCString: text) else { throw notUTF8(name) }
        return string
    }

    /// Reads a NUL-terminated UTF-8 string that must not be empty.
    static func nonEmptyString(_ text: CString?, _ name: String) throws(Failure) -> String {
        let string = try string(text, name)
        guard !string.isEmpty else { throw wrong(name, "\(name) is empty") }
        return string
    }

    static func optionalString(_ text: CString?, _ name: String) throws(Failure) -> String? {
        text == nil ? nil : try string(text, name)
    }

    /// Reads a NUL-terminated UTF-8 string that may be NULL but must not be empty.
    static func optionalFilledString(
        _ text: CString?, _ name: String
    ) throws(Failure) -> String? {
        text == nil ? nil : try nonEmptyString(text, name)
    }

    /// Reads an array of NUL-terminated UTF-8 strings; `nil` for NULL.
    ///
    /// - Parameter countName: The name of `count`.
    static func texts(
        _ start: In<CString?>?, _ count: Int, _ name: String, _ countName: String,
        max: Int64 = .max
    ) throws(Failure) -> [String]? {
        let elements = try elements(start, count, name)
        try inRange(count, 0...max, countName)
        guard start != nil else { return nil }
        var texts: [String] = []
        for (index, text) in elements.enumerated() {
            texts.append(try string(text, "\(name)[\(index)]"))
        }
        return texts
    }

    /// Reads an array of pointers to option structs.
    static func structs<Struct, Fields>(
        _ start: In<In<Struct>?>?, _ count: Int, _ name: String,
        _ read: (In<Struct>?) throws(Failure) -> Fields
    ) throws(Failure) -> [Fields] {
        var found: [Fields] = []
        for element in try elements(start, count, name) {
            guard let element else { throw null("\(name)[]") }
            found.append(try read(element))
        }
        return found
    }

    /// Reads `length` bytes of UTF-8.
    static func string(_ text: CString?, _ length: Int, _ name: String) throws(Failure) -> String {
        let bytes = try bytes(text, length, name)
        guard let string = String(validating: bytes, as: UTF8.self) else { throw notUTF8(name) }
        return string
    }

    /// Reads `length` bytes. The pointer may be NULL if `length` is 0.
    static func bytes(
        _ start: UnsafeRawPointer?, _ length: Int, _ name: String
    ) throws(Failure) -> UnsafeRawBufferPointer {
        guard (0...memoryBytesMax).contains(length) else {
            throw wrong(name, "the length of \(name) is beyond the address space")
        }
        guard start != nil || length == 0 else { throw null(name) }
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    /// Reads `count` elements of an array. The pointer may be NULL if `count` is 0.
    static func elements<Element>(
        _ start: In<Element>?, _ count: Int, _ name: String
    ) throws(Failure) -> UnsafeBufferPointer<Element> {
        guard (0...memoryBytesMax / MemoryLayout<Element>.stride).contains(count) else {
            throw wrong(name, "the count of \(name) is beyond the address space")
        }
        guard start != nil || count == 0 else { throw null(name) }
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Reads JSON text, at most as long as the address space.
    static func json(_ text: CString?, _ length: Int) throws(Failure) -> UnsafeRawBufferPointer {
        guard text != nil else { throw null("json") }
        return try bytes(text, length, "json")
    }

    static func out<Value>(_ pointer: Out<Value>?, _ name: String) throws(Failure) -> Out<Value> {
        guard let pointer else { throw null(name) }
        return pointer
    }

    /// Reads a function that must be set.
    static func function<Function>(
        _ function: Function?, _ name: String
    ) throws(Failure) -> Function {
        guard let function else { throw null(name) }
        return function
    }

    /// Checks a number, for example a time limit for waiting.
    static func notNegative(_ value: Int64, _ name: String) throws(Failure) {
        guard value >= 0 else { throw wrong(name, "\(name) is negative: \(value)") }
    }

    /// Checks a number where -1 has a meaning of its own.
    static func minusOneOrMore(_ value: Int64, _ name: String) throws(Failure) {
        guard value >= -1 else { throw outOfRange(name, value) }
    }

    /// Reads a limit. 0 means that the program sets no value, and gives `nil`. -1 means that there
    /// is no limit, and gives 0.
    static func limit(_ value: Int64, _ name: String) throws(Failure) -> Int64? {
        try minusOneOrMore(value, name)
        return value == 0 ? nil : max(0, value)
    }

    /// Reads a number that is 1 for yes or 0 for no.
    static func zeroOrOne(_ value: Int32, _ name: String) throws(Failure) -> Bool {
        guard value == 0 || value == 1 else { throw outOfRange(name, Int64(value)) }
        return value == 1
    }

    /// Checks that `flags` holds only bits of `known`.
    @discardableResult
    static func flags<Bits: FixedWidthInteger>(
        _ flags: Bits, known: Bits, _ name: String = "flags"
    ) throws(Failure) -> Bits {
        guard flags & ~known == 0 else {
            let unknown = String(flags & ~known, radix: 16)
            throw wrong(
                name, "\(name) holds bits that this version does not know: 0x\(unknown)")
        }
        return flags
    }

    /// - Parameter path: The path that stands behind the method, if the program gives both.
    static func method(_ token: CString?, path: String = "") throws(Failure) -> Method {
        let token = try string(token, "method")
        do throws(Method.Refusal) {
            return try Method(token, path: path)
        } catch {
            throw Failure(error)
        }
    }

    /// Reads the members of a JSON object.
    static func jsonObject(
        _ text: CString?, _ length: Int
    ) throws(Failure) -> [(key: String, value: JSONValue)] {
        let text = try json(text, length)
        let value: JSONValue
        do {
            value = try JSONValue.parseAnySize(text)
        } catch {
            throw wrong("json", "json: \(error.message)")
        }
        guard let members = value.members else {
            throw wrong("json", "json is not an object but \(value.kind.withArticle)")
        }
        return members
    }

    static func headerName(_ name: CString?) throws(Failure) -> String {
        let name = try string(name, "name")
        guard Headers.isValidName(name) else {
            throw wrong("name", "name is not a header name (RFC 9110, section 5.1)")
        }
        return name
    }

    static func mediaType(_ text: CString?) throws(Failure) -> String {
        let mediaType = try nonEmptyString(text, "media_type")
        try headerValue(mediaType, "media_type")
        return mediaType
    }

    static func headerValue(_ value: String, _ name: String) throws(Failure) {
        guard Headers.isValidValue(value) else {
            throw wrong(name, "\(name) holds a character that a header value may not have")
        }
    }
}

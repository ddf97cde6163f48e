import CJansson
import Glibc

/// Passes keys that contain a NUL through Jansson's parser.
///
/// Jansson's trees accept these keys, but its parser refuses the whole text. Such a text is parsed
/// again with each of these keys in another spelling: a random mark, then the key with NUL as
/// U+0001 "0" and U+0001 as U+0001 "1". Afterwards the keys in the tree are restored.
enum NULKey {
    private static let escape: UInt8 = 0x01

    /// The mark, which is random for each process.
    private static let mark: [UInt8] = {
        let random = UInt64.random(in: .min ... .max)
        return [escape] + Array(("key" + String(random, radix: 16) + ":").utf8)
    }()

    private static let escapeInText = Array("\\u0001".utf8)
    private static let zeroInText = Array("\\u0000".utf8)

    /// Returns the marked spelling of a key, given as in JSON text without its quotes; `nil` if the
    /// key has no NUL.
    static func marking(_ key: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        var result = escapeInText + mark.dropFirst()
        var holdsNUL = false
        var rest = key
        while let byte = rest.first {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                rest.removeFirst()
                continue
            }
            if rest.starts(with: zeroInText) {
                holdsNUL = true
                result += escapeInText + [UInt8(ascii: "0")]
                rest.removeFirst(zeroInText.count)
            } else if rest.starts(with: escapeInText) {
                result += escapeInText + [UInt8(ascii: "1")]
                rest.removeFirst(escapeInText.count)
            } else {
                result += rest.prefix(2)
                rest = rest.dropFirst(2)
            }
        }
        return holdsNUL ? result : nil
    }

    /// Restores the original keys of every object of a tree.
    static func restore(in value: UnsafeMutablePointer<json_t>) {
        switch value.pointee.type {
        case JSON_ARRAY:
            for index in 0..<json_array_size(value) {
                if let element = json_array_get(value, index) { restore(in: element) }
            }
        case JSON_OBJECT:
            var isMarked = false
            var iterator = json_object_iter(value)
            while let current = iterator {
                if let member = json_object_iter_value(current) { restore(in: member) }
                if original(of: current) != nil { isMarked = true }
                iterator = json_object_iter_next(value, current)
            }
            if isMarked { renameMembers(of: value) }
        default:
            break
        }
    }

    /// Sets all members again, so that they keep their order.
    private static func renameMembers(of object: UnsafeMutablePointer<json_t>) {
        var members: [(key: [UInt8], value: UnsafeMutablePointer<json_t>)] = []
        var iterator = json_object_iter(object)
        while let current = iterator {
            if let value = json_object_iter_value(current) {
                json_incref(value)
                members.append((original(of: current) ?? Array(key(of: current)), value))
            }
            iterator = json_object_iter_next(object, current)
        }
        json_object_clear(object)
        for (key, value) in members {
            // The terminating NUL gives an empty key an address too.
            let result = (key + [0]).withUnsafeBytes { bytes in
                json_object_setn_new_nocheck(
                    object, bytes.bindMemory(to: CChar.self).baseAddress, key.count, value)
            }
            precondition(result == 0, "out of memory")
        }
    }

    /// The original key of a member; `nil` if its key was not marked.
    private static func original(of member: UnsafeMutableRawPointer) -> [UInt8]? {
        let key = key(of: member)
        guard key.first == escape, key.starts(with: mark) else { return nil }
        var result: [UInt8] = []
        var rest = key.dropFirst(mark.count)
        while let byte = rest.popFirst() {
            guard byte == escape else {
                result.append(byte)
                continue
            }
            result.append(rest.popFirst() == UInt8(ascii: "0") ? 0 : escape)
        }
        return result
    }

    private static func key(of member: UnsafeMutableRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: json_object_iter_key(member), count: json_object_iter_key_len(member))
    }
}

/// A pointer to a mapping machine for callers that push through C, without counting references.
///
/// It is valid as long as its machine lives.
package struct MachinePointer: BitwiseCopyable {
    private let core: UnsafeMutablePointer<MachineCore>

    init(_ core: UnsafeMutablePointer<MachineCore>) {
        self.core = core
    }

    package func beginObject() -> EventAnswer { core.pointee.beginObject() }
    package func key(_ text: UnsafeRawBufferPointer) -> EventAnswer { core.pointee.key(text) }
    package func endObject() -> EventAnswer { core.pointee.end(isArray: false) }
    package func beginArray(count: Int?) -> EventAnswer {
        core.pointee.beginArray(count)
    }
    package func endArray() -> EventAnswer { core.pointee.end(isArray: true) }
    package func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.string(text)
    }
    package func int64(_ value: Int64) -> EventAnswer { core.pointee.int64(value) }
    package func double(_ value: Double) -> EventAnswer { core.pointee.double(value) }
    package func bool(_ value: Bool) -> EventAnswer { core.pointee.bool(value) }
    package func null() -> EventAnswer { core.pointee.scalar(.null) }
    package func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.scalar(.bytes(content))
    }
    package func date(_ microseconds: Int64) -> EventAnswer {
        core.pointee.scalar(.date(microseconds))
    }
    package func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        core.pointee.scalar(.unrepresentable(text))
    }
}

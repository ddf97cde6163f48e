import CRestway
import RestwayCalls
import RestwayOutcome

/// Makes a body reader from C functions.
enum BodyReading {
    /// sizeof(restway_body_reader) in the version that introduced it.
    static let structSizeMin = 40

    /// - Parameter length: -1 if it is not known.
    static func reader(
        _ read: @escaping restway_body_read_fn, _ rewind: restway_body_rewind_fn?, length: Int64,
        _ context: HostContext
    ) -> BodyReader {
        BodyReader(
            length: length < 0 ? nil : length, read: reading(read, context),
            rewind: rewind.map { rewinding($0, context) })
    }

    private static func reading(
        _ read: @escaping restway_body_read_fn, _ context: HostContext
    ) -> BodyReader.Read {
        { buffer in
            var count = 0
            let failure = ask { answer in
                read(context.pointer, buffer.baseAddress, buffer.count, &count, answer)
            }
            if let failure { return .failure(failure) }
            guard count >= 0, count <= buffer.count else {
                return .failure(
                    Failure(
                        .invalidArgument,
                        "the body's reader: out_count is beyond its \(buffer.count) bytes",
                        field: "out_count"))
            }
            return .success(count)
        }
    }

    private static func rewinding(
        _ rewind: @escaping restway_body_rewind_fn, _ context: HostContext
    ) -> BodyReader.Rewind {
        {
            let failure = ask { rewind(context.pointer, $0) }
            if let failure { return .failure(failure) }
            return .success(())
        }
    }

    private static func ask(_ function: (OpaquePointer?) -> restway_status) -> Failure? {
        let answer = AnswerHandle(takesValue: false)
        let status = withExtendedLifetime(answer) { function(Handle.lend(answer)) }
        guard status != .RESTWAY_OK else { return nil }
        return Failure(
            Failure.Reason(status) ?? .invalidArgument,
            "the body's reader: \(Question.reason(status, answer.message))")
    }
}

import CRestway
import RestwayBatch
import RestwayThreads

/// A batch format made of C functions. Its context ends when nothing uses the format any more.
struct HostBatchFormat: BatchFormat {
    let encode: restway_batch_encode_fn
    let decode: restway_batch_decode_fn
    let context: HostContext

    var takesBinaryBodies: Bool { true }

    func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody {
        let (writer, answer) = (BatchWriterHandle(items), AnswerHandle(takesValue: false))
        let status = withExtendedLifetime((writer, answer)) {
            CallbackScope.run { encode(context.pointer, Handle.lend(writer), Handle.lend(answer)) }
        }
        try Self.check(status, answer)
        guard let body = writer.body else { throw BatchError("the encode function set no body") }
        return body
    }

    func decode(_ body: BatchBody, count: Int) throws(BatchError) -> [BatchAnswer] {
        let reader = BatchReaderHandle(body, count: count)
        let answer = AnswerHandle(takesValue: false)
        let status = withExtendedLifetime((reader, answer)) {
            CallbackScope.run { decode(context.pointer, Handle.lend(reader), Handle.lend(answer)) }
        }
        try Self.check(status, answer)
        var answers: [BatchAnswer] = []
        for (index, answer) in reader.answers.enumerated() {
            guard let answer else {
                throw BatchError("the decode function set no answer to request \(index)")
            }
            answers.append(answer)
        }
        return answers
    }

    private static func check(
        _ status: restway_status, _ answer: AnswerHandle
    ) throws(BatchError) {
        if status != .RESTWAY_OK { throw BatchError(Question.reason(status, answer.message)) }
    }
}

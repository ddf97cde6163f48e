public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// The calls in flight at one moment, with the texts that C callers borrow from the list.
final class ActiveCallsHandle: HandleObject, Sendable {
    let calls: [(call: Call, info: CallInfo)]
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ calls: [(call: Call, info: CallInfo)]) {
        self.calls = calls
    }
}

// active_calls.h

@_cdecl("restway_client_active_calls") @implementation
public func restway_client_active_calls(
    _ client: InHandle, _ outCalls: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outCalls, outError, "out_calls") { client throws(Failure) in
        try client.calls.refuseAfterFork()
        return ActiveCallsHandle(client.calls.activeCalls)
    }
}

@_cdecl("restway_active_calls_count") @implementation
public func restway_active_calls_count(_ calls: InHandle) -> Int {
    ActiveCallsHandle.object(calls)?.calls.count ?? 0
}

@_cdecl("restway_active_calls_read") @implementation
public func restway_active_calls_read(
    _ calls: InHandle, _ index: Int, _ info: Out<restway_call_info>?, _ outError: OutHandle?
) -> restway_status {
    ActiveCallsHandle.using(calls, outError) { list throws(Failure) in
        guard let entry = list.calls.at(index) else {
            throw Argument.wrong(
                "index", "the list has \(list.calls.count) calls, and none at \(index)")
        }
        try SizedStructs.callInfo.write(entry.info.c(list.texts, index), to: info)
    }
}

@_cdecl("restway_active_calls_call") @implementation
public func restway_active_calls_call(_ calls: InHandle, _ index: Int) -> OpaquePointer! {
    (ActiveCallsHandle.object(calls)?.calls.at(index)?.call).map(Handle.lend)
}

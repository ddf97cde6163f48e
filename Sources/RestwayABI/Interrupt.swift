public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

// interrupt.h

@_cdecl("restway_interrupt_create") @implementation
public func restway_interrupt_create(
    _ outInterrupt: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outInterrupt, outError, "out_interrupt") { () throws(Failure) in
        guard let interrupt = Interrupt() else {
            throw Failure(.outOfMemory, "the system has no file descriptor or thread to give")
        }
        return interrupt
    }
}

@_cdecl("restway_interrupt_use") @implementation
public func restway_interrupt_use(
    _ interrupt: InHandle, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        Interrupt.use(interrupt == nil ? nil : try Interrupt.argument(interrupt))
    }
}

@_cdecl("restway_interrupt_raise") @implementation
public func restway_interrupt_raise(_ interrupt: InHandle) { Interrupt.object(interrupt)?.raise() }

@_cdecl("restway_interrupt_descriptor") @implementation
public func restway_interrupt_descriptor(_ interrupt: InHandle) -> Int32 {
    Interrupt.object(interrupt)?.descriptor ?? -1
}

@_cdecl("restway_client_perform_interruptibly") @implementation
public func restway_client_perform_interruptibly(
    _ client: InHandle, _ request: InHandle, _ milliseconds: Int64, _ outCall: OutHandle?,
    _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    outCall?.pointee = nil
    return ClientHandle.creating(client, outResponse, outError) { client throws(Failure) in
        let outCall = try Argument.out(outCall, "out_call")
        let request = try RequestHandle.argument(request)
        try Argument.notNegative(milliseconds, "milliseconds")
        let response = try client.perform(request.copy(), milliseconds: milliseconds) { call in
            outCall.pointee = Handle.give(call)
        }
        return ResponseHandle(response)
    }
}

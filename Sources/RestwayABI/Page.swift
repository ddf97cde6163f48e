public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayPages
import RestwayThreads

/// The program's reference to pages. The last release cancels a page that was requested ahead.
final class PagesHandle: HandleObject {
    let pages: Pages
    let generation = ProcessGeneration.current

    init(_ pages: Pages) {
        self.pages = pages
    }

    deinit { pages.abandon() }

    /// Returns the page that came last.
    func last() throws(Failure) -> Page {
        if let last = pages.last { return last }
        throw Failure(.noObject, "no page has come yet")
    }
}

extension PagesHandle: ArgumentObject { static let parameter = "pages" }

// page.h

@_cdecl("restway_client_pages") @implementation
public func restway_client_pages(
    _ client: InHandle, _ request: InHandle, _ options: In<restway_page_options>?,
    _ outPages: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outPages, outError, "out_pages") { client throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        return PagesHandle(try Pages(client.calls, spec, try Pages.Options(options)))
    }
}

@_cdecl("restway_pages_has_next") @implementation
public func restway_pages_has_next(_ pages: InHandle) -> Int32 {
    PagesHandle.object(pages)?.pages.hasNext == true ? 1 : 0
}

@_cdecl("restway_pages_next") @implementation
public func restway_pages_next(
    _ pages: InHandle, _ milliseconds: Int64, _ outResponse: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagesHandle.waitingForPage(pages, milliseconds, outResponse, outError) {
        handle throws(Failure) in
        try handle.pages.next(milliseconds: milliseconds)
    }
}

@_cdecl("restway_pages_send_next") @implementation
public func restway_pages_send_next(
    _ pages: InHandle, _ done: restway_done_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outCall: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagesHandle.creating(pages, outCall, outError) { handle throws(Failure) in
        try DoneNotice.receiving(done, context, destroy, handle.pages.context.delivery) {
            receiver throws(Failure) in
            try handle.pages.send(receiver)
        }
    }
}

@_cdecl("restway_pages_cancel") @implementation
public func restway_pages_cancel(_ pages: InHandle) { PagesHandle.object(pages)?.pages.cancel() }

@_cdecl("restway_pages_position") @implementation
public func restway_pages_position(
    _ pages: InHandle, _ page: Out<restway_page>?, _ outError: OutHandle?
) -> restway_status {
    PagesHandle.using(pages, outError) { handle throws(Failure) in
        try SizedStructs.page.write(try handle.last().c, to: page)
    }
}

@_cdecl("restway_pages_objects") @implementation
public func restway_pages_objects(
    _ pages: InHandle, _ outList: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    PagesHandle.creating(pages, outList, outError, "out_list") { handle throws(Failure) in
        ListHandle(try handle.last().objects)
    }
}

extension Pages.Options {
    fileprivate init(_ pointer: In<restway_page_options>?) throws(Failure) {
        self.init()
        let fields = try PageOptionsFields(pointer)
        bounds.pagesMax = fields.pagesMax ?? 0
        bounds.objectsMax = fields.objectsMax ?? 0
        fetchesAhead = fields.prefetch == 1
    }
}

extension Page {
    fileprivate var c: restway_page {
        restway_page(
            struct_size: 0, number: count.number, offset: count.offset ?? -1,
            total: count.total ?? -1, object_count: count.objectCount,
            is_last: count.isLast ? 1 : 0, reserved: 0)
    }
}

extension ArgumentObject {
    /// Runs `wait`, which gives the next page, and gives the response of the page to the program;
    /// NULL if there are no more pages.
    static func waitingForPage(
        _ handle: InHandle, _ milliseconds: Int64, _ outResponse: OutHandle?,
        _ outError: OutHandle?, _ wait: (Content) throws(Failure) -> Page?
    ) -> restway_status {
        outResponse?.pointee = nil
        return using(handle, outError) { content throws(Failure) in
            let out = try Argument.out(outResponse, "out_response")
            try Argument.notNegative(milliseconds, "milliseconds")
            out.pointee = try wait(content).map { Handle.give(ResponseHandle($0.response)) }
        }
    }
}

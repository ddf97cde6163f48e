import RestwaySQLite

/// The room that is kept for the results of requests, so that an outbox that has filled the disk
/// can still record which requests were delivered. Without it, the same requests would go out again
/// and again.
///
/// The room has two parts: pages of the file that hold nothing, which any transaction uses before
/// it makes the file longer, and a least length of the log, which is written from its start again
/// when the disk is full. A transaction that stores requests leaves both parts as they are, or
/// fails. Results, drops and other changes may use the room.
enum DeliveryRoom {
    /// The least length of the log. The result of one request with an identity and changes takes
    /// about a dozen pages in the log.
    static let logBytes: Int64 = 48 << 10
    /// The least number of pages that hold nothing.
    static let pagesMin: Int64 = 6
    /// The number of such pages after pages were added.
    static let pagesWanted: Int64 = 8

    static func error(_ path: String) -> OutboxError {
        .file(.full(path, "the room that is left is kept for the results of requests"))
    }
}

extension JournalTransaction {
    /// Adds pages that hold nothing if there are too few of them. This is the last step of a
    /// transaction that has stored requests.
    func keepRoom() throws(OutboxError) {
        let free = try JournalConnection.wrapping { () throws(SQLiteError) in
            try file.connection.freePageCount()
        }
        guard free < DeliveryRoom.pagesMin else { return }
        // SQLite adds the pages for the value, and keeps them when the value is deleted.
        let bytes = (DeliveryRoom.pagesWanted - free) * Connection.pageBytes
        try file.run("INSERT INTO reserve (room) VALUES (zeroblob(?1))", .integer(bytes))
        try file.run("DELETE FROM reserve")
    }
}

import CCurl
import CLinux

/// The two sockets that libcurl makes with each multi handle, for `curl_multi_wakeup`.
///
/// libcurl before 8.11 makes them without close-on-exec and names them nowhere, so a program that
/// the process starts would inherit them. They are found by the effect of a wake-up: one byte waits
/// in the one, and the other has sent it.
enum WakeUpPair {
    /// Creates a multi handle whose sockets are closed in programs that the process starts.
    static func makeMulti() -> UnsafeMutableRawPointer? {
        var window = rw_descriptor_window()
        rw_window_begin(&window)
        guard let multi = curl_multi_init() else { return nil }
        rw_window_note(&window)
        curl_multi_wakeup(multi)
        rw_window_close_on_exec(&window)
        // This takes the byte out again.
        curl_multi_poll(multi, nil, 0, 0, nil)
        return multi
    }
}

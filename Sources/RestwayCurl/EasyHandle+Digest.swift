import CCurl
import RestwayHTTP
import RestwayThreads

/// Digest authentication (RFC 7616): libcurl answers the challenge and sends the exchange again.
///
/// libcurl does not announce whether it will do so. Therefore the head of a challenge is held back.
/// It is dropped if the next request is sent, and reported if a part of its body comes.
extension EasyHandle {
    /// Sets the credential. `nil` removes it, because the next exchange may belong to another
    /// client.
    func set(_ digest: DigestCredential?) {
        rw_easy_set_long(
            easy, CURLOPT_HTTPAUTH, Int(digest == nil ? rw_auth_basic() : rw_auth_digest()))
        rw_easy_set_string(easy, CURLOPT_USERNAME, digest?.user)
        rw_easy_set_string(easy, CURLOPT_PASSWORD, digest?.password.revealed)
    }

    func isChallenge(_ head: ResponseHead) -> Bool {
        guard active?.exchange.digest != nil, head.status == 401 else { return false }
        return head.headers.fields.contains { field in
            field.isNamed("WWW-Authenticate") && field.value.lowercased().hasPrefix("digest")
        }
    }

    /// Reports the challenge as an ordinary answer, because libcurl has not answered it.
    func tellChallenge() {
        guard let head = challenge.take() else { return }
        active?.observer?.receivedHead(head)
    }
}

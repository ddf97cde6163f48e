import CCurl
import RestwayHTTP
import RestwaySupport

/// Digest authentication (RFC 7616): libcurl answers the challenge, and sends the exchange again.
///
/// It does not say beforehand whether it will. So the head of a challenge is kept back until either
/// the next request goes out, and nobody hears of it, or something of its body comes.
extension EasyHandle {
    /// `nil` forgets the credential: the next exchange may be somebody else's.
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

    /// libcurl has not answered the challenge: it is an answer like any other.
    func tellChallenge() {
        guard let head = challenge.take() else { return }
        active?.observer?.receivedHead(head)
    }
}

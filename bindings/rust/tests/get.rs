//! Gets a company from the demo API, in a call that waits and in one with a callback.

use restway_sys::*;
use std::env;
use std::ffi::{CStr, CString};
use std::mem::{size_of, MaybeUninit};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{channel, Sender};
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(60);

fn variable(name: &str) -> CString {
    CString::new(env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))).unwrap()
}

unsafe fn text(pointer: *const c_char) -> String {
    assert!(!pointer.is_null());
    CStr::from_ptr(pointer).to_str().unwrap().to_owned()
}

/// Fails with the message of an error.
unsafe fn expect_ok(status: restway_status, error: *mut restway_error) {
    if status != RESTWAY_OK {
        panic!("{}: {}", text(restway_status_name(status)), text(restway_error_message(error)));
    }
}

unsafe fn client() -> *mut restway_client {
    let (document, url) = (variable("RESTWAY_DEMO_DOCUMENT"), variable("RESTWAY_DEMO_URL"));
    let (mut api, mut client, mut error) = (null_mut(), null_mut(), null_mut());
    expect_ok(restway_api_load_file(document.as_ptr(), &mut api, &mut error), error);
    let mut options = MaybeUninit::<restway_client_options>::uninit();
    let size = size_of::<restway_client_options>();
    expect_ok(restway_client_options_init(options.as_mut_ptr(), size, &mut error), error);
    let mut options = options.assume_init();
    options.base_url = url.as_ptr();
    expect_ok(restway_client_create(api, &options, &mut client, &mut error), error);
    restway_api_release(api);
    client
}

unsafe fn request(path: &str) -> *mut restway_request {
    let path = CString::new(path).unwrap();
    let method = CString::new("GET").unwrap();
    let (mut request, mut error) = (null_mut(), null_mut());
    let status =
        restway_request_create(method.as_ptr(), path.as_ptr(), &mut request, &mut error);
    expect_ok(status, error);
    request
}

unsafe fn name_of(response: *const restway_response) -> String {
    let key = CString::new("name").unwrap();
    assert_eq!(restway_response_status(response), 200);
    assert_eq!(restway_response_object_count(response), 1);
    text(restway_object_string(restway_response_object(response, 0), key.as_ptr()))
}

unsafe extern "C" fn done(
    context: *mut c_void,
    _call: *mut restway_call,
    status: restway_status,
    response: *mut restway_response,
    _error: *const restway_error,
) {
    let sender = &*(context as *const Sender<(restway_status, String)>);
    sender.send((status, name_of(response))).unwrap();
}

unsafe extern "C" fn destroy(context: *mut c_void) {
    drop(Box::from_raw(context as *mut Sender<(restway_status, String)>));
}

#[test]
fn a_company_is_read() {
    unsafe {
        let (client, request) = (client(), request("enterprises/3"));
        let (mut response, mut error) = (null_mut(), null_mut());
        let status = restway_client_perform(client, request, 0, &mut response, &mut error);
        expect_ok(status, error);
        let name = name_of(response);
        restway_response_release(response);

        // The receiver ends when `destroy` has freed the sender, after `done` has returned.
        let (sender, receiver) = channel::<(restway_status, String)>();
        let context = Box::into_raw(Box::new(sender)) as *mut c_void;
        let status = restway_client_send(
            client, request, Some(done), context, Some(destroy), null_mut(), &mut error,
        );
        expect_ok(status, error);
        assert_eq!(receiver.recv_timeout(WAIT), Ok((RESTWAY_OK, name)));
        assert!(receiver.recv_timeout(WAIT).is_err());
        restway_request_release(request);
        restway_client_release(client);
        assert_eq!(restway_debug_live_handles(), 0);
    }
}

#[test]
fn null_is_refused_with_a_status() {
    unsafe {
        let status = restway_client_perform(null_mut(), null(), 0, null_mut(), null_mut());
        assert_eq!(status, RESTWAY_E_INVALID_ARGUMENT);
    }
}

//! The C interface of Restway: every function, struct, enum and callback of its headers.
//!
//! This is the layer below a Rust interface, in the style of the `-sys` packages: all functions are
//! `unsafe`, handles are pointers, and the rules of the headers hold. `docs/OWNERSHIP.md` and
//! `docs/THREADING.md` of Restway explain the words about ownership and threads.
//!
//! ```
//! use restway_sys::*;
//! use std::ffi::CStr;
//!
//! let version = unsafe { CStr::from_ptr(restway_version_string()) };
//! assert_eq!(version.to_str(), Ok("0.1.0"));
//! ```
#![allow(non_camel_case_types)]

mod constants;
mod functions;
mod types;

pub use constants::*;
pub use functions::*;
pub use types::*;

//! Every struct has the same size in Rust and in C, and every field the same place and size.

use restway_sys::*;
use std::mem::{size_of, size_of_val, MaybeUninit};
use std::process::Command;
use std::ptr::addr_of;

/// Describes a struct as `table.c` prints it: a line for the struct, and one for each field. A name
/// that is a word of Rust ends in "_", which C does not have.
macro_rules! layout {
    ($type:ident: $($field:ident),*) => {{
        let place = MaybeUninit::<$type>::zeroed();
        let start = place.as_ptr();
        let mut lines = format!("{} {}\n", stringify!($type), size_of::<$type>());
        $(
            let field = unsafe { addr_of!((*start).$field) };
            let offset = field as usize - start as usize;
            let size = unsafe { size_of_val(&*field) };
            let name = stringify!($field).trim_end_matches('_');
            lines += &format!("{}.{} {} {}\n", stringify!($type), name, offset, size);
        )*
        lines
    }};
}

include!("layouts/table.rs");

/// Compiles `table.c` with the installed headers, and returns what it prints.
fn layouts_of_c() -> String {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/layouts/table.c");
    let program = concat!(env!("CARGO_TARGET_TMPDIR"), "/layouts");
    let asked = Command::new("pkg-config").args(["--cflags", "restway"]).output().unwrap();
    let flags = String::from_utf8(asked.stdout).unwrap();
    let compiled = Command::new("cc")
        .args(flags.split_whitespace())
        .args([source, "-o", program])
        .status();
    assert!(compiled.unwrap().success(), "table.c does not compile");
    String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap()
}

#[test]
fn structs_have_the_layout_of_c() {
    let expected = layouts_of_c();
    let found = layouts();
    assert!(found.len() > 20);
    assert_eq!(found.concat(), expected);
}

#[test]
fn frozen_structs_keep_their_sizes() {
    assert_eq!(size_of::<restway_value>(), 16);
    assert_eq!(size_of::<restway_event>(), 64);
    assert_eq!(size_of::<restway_status>(), 4);
    assert_eq!(size_of::<restway_done_fn>(), size_of::<usize>());
}

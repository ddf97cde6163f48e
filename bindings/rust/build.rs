//! Asks pkg-config for the installed library.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let asked = Command::new("pkg-config").args(["--libs", "restway"]).output();
    let found = asked.expect("pkg-config cannot be started");
    if !found.status.success() {
        panic!("restway is not installed: {}", String::from_utf8_lossy(&found.stderr));
    }
    for word in String::from_utf8_lossy(&found.stdout).split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(name) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
}

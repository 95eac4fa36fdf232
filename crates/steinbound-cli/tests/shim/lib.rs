//! Makes calls of the C library fail on request: a library to be loaded before a program (`LD_PRELOAD`), which the
//! tests of faults compile by `rustc`.
//!
//! The variables `STEINBOUND_FAULT_...` say what happens: `KIND` is the kind of call that fails (see [`KINDS`]), `AT`
//! the number of the first call that does, counted from 1, and `LAST` of the last one; allocations are counted from
//! `ABOVE` bytes on. Where `DEADLY` is set the program is killed at that call instead. With the kind `clock`, time jumps instead: from call `AT` on by an hour, alternately forward
//! and back. On exit the number of counted calls is written to the file `COUNT`.
//!
//! `unsafe` is of the essence here: functions of the C library are replaced under their own names, with their own
//! signatures, and passed on to the ones found behind this library. Nothing in here allocates.
#![allow(unsafe_code, clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int, c_long, c_void};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};

const KINDS: [&[u8]; 9] =
    [b"memory", b"thread", b"open", b"read", b"write", b"rename", b"sync", b"folder", b"clock"];

const MEMORY: usize = 1;
const THREAD: usize = 2;
const OPEN: usize = 3;
const READ: usize = 4;
const WRITE: usize = 5;
const RENAME: usize = 6;
const SYNC: usize = 7;
const FOLDER: usize = 8;
const CLOCK: usize = 9;

const EIO: c_int = 5;
const EAGAIN: c_int = 11;
const ENOMEM: c_int = 12;
const EMFILE: c_int = 24;
const ENOSPC: c_int = 28;

static KIND: AtomicUsize = AtomicUsize::new(0);
static AT: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);
static ABOVE: AtomicU64 = AtomicU64::new(0);
static DEADLY: AtomicU64 = AtomicU64::new(0);
static CALLS: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn __errno_location() -> *mut c_int;
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn strlen(text: *const c_char) -> usize;
    fn getpid() -> c_int;
    fn kill(process: c_int, signal: c_int) -> c_int;
}

/// A variable of the environment.
unsafe fn variable(name: &core::ffi::CStr) -> Option<&'static [u8]> {
    let text = unsafe { getenv(name.as_ptr()) };
    if text.is_null() {
        return None;
    }
    Some(unsafe { std::slice::from_raw_parts(text.cast(), strlen(text)) })
}

unsafe fn number(name: &core::ffi::CStr) -> Option<u64> {
    let digits = unsafe { variable(name) }?;
    digits.iter().try_fold(0u64, |sum, digit| {
        digit.is_ascii_digit().then(|| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
    })
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: unsafe extern "C" fn() = begin;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: unsafe extern "C" fn() = end;

unsafe extern "C" fn begin() {
    unsafe {
        let kind = variable(c"STEINBOUND_FAULT_KIND").unwrap_or_default();
        let at = number(c"STEINBOUND_FAULT_AT").unwrap_or(0);
        AT.store(at, Relaxed);
        LAST.store(number(c"STEINBOUND_FAULT_LAST").unwrap_or(at), Relaxed);
        ABOVE.store(number(c"STEINBOUND_FAULT_ABOVE").unwrap_or(0), Relaxed);
        DEADLY.store(number(c"STEINBOUND_FAULT_DEADLY").unwrap_or(0), Relaxed);
        KIND.store(KINDS.iter().position(|one| *one == kind).map_or(0, |place| place + 1), Relaxed);
    }
}

/// Writes the number of calls.
unsafe extern "C" fn end() {
    KIND.store(0, Relaxed);
    unsafe {
        let Some(path) = variable(c"STEINBOUND_FAULT_COUNT") else { return };
        const O_WRONLY_CREAT_TRUNC: c_int = 0o1101;
        let file = open(path.as_ptr().cast(), O_WRONLY_CREAT_TRUNC, 0o600);
        let (mut digits, mut count, mut start) = ([0u8; 20], CALLS.load(Relaxed), 20);
        while start == 20 || count > 0 {
            start -= 1;
            digits[start] = b'0' + (count % 10) as u8;
            count /= 10;
        }
        write(file, digits[start..].as_ptr().cast(), 20 - start);
    }
}

/// Counts a call of this kind; whether it fails.
fn fails(kind: usize) -> bool {
    if KIND.load(Relaxed) != kind {
        return false;
    }
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    let fails = (AT.load(Relaxed)..=LAST.load(Relaxed)).contains(&call);
    if fails && DEADLY.load(Relaxed) != 0 {
        const SIGKILL: c_int = 9;
        unsafe { kill(getpid(), SIGKILL) };
    }
    fails
}

fn fails_with(kind: usize, error: c_int) -> bool {
    let fails = fails(kind);
    if fails {
        unsafe { *__errno_location() = error };
    }
    fails
}

fn no_memory(size: usize) -> bool {
    size as u64 >= ABOVE.load(Relaxed) && fails_with(MEMORY, ENOMEM)
}

/// The function of this name behind this library.
unsafe fn next(place: &AtomicUsize, name: &core::ffi::CStr) -> usize {
    const RTLD_NEXT: *mut c_void = -1isize as *mut c_void;
    let known = place.load(Relaxed);
    if known != 0 {
        return known;
    }
    let found = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) } as usize;
    place.store(found, Relaxed);
    found
}

/// Replaces a function that fails with -1 and an error number.
macro_rules! replaced {
    ($name:ident ($($argument:ident: $type:ty),*) -> $result:ty, $kind:expr, $error:expr, $when:expr) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            if $when && fails_with($kind, $error) {
                return -1;
            }
            unsafe {
                let name = core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes());
                let next: unsafe extern "C" fn($($type),*) -> $result = std::mem::transmute(next(&NEXT, name));
                next($($argument),*)
            }
        }
    };
}

type Path = *const c_char;
type Bytes = *const c_void;

// These take further arguments that are missing in some calls; passing on what stands in their place does no harm in
// the calling conventions of Linux.
replaced!(open(path: Path, flags: c_int, mode: u32) -> c_int, OPEN, EMFILE, true);
replaced!(open64(path: Path, flags: c_int, mode: u32) -> c_int, OPEN, EMFILE, true);
replaced!(openat(at: c_int, path: Path, flags: c_int, mode: u32) -> c_int, OPEN, EMFILE, true);
replaced!(openat64(at: c_int, path: Path, flags: c_int, mode: u32) -> c_int, OPEN, EMFILE, true);
replaced!(read(file: c_int, bytes: *mut c_void, count: usize) -> isize, READ, EIO, true);
replaced!(pread64(file: c_int, bytes: *mut c_void, count: usize, at: i64) -> isize, READ, EIO, true);
// What is said on standard error is how a fault is told.
replaced!(write(file: c_int, bytes: Bytes, count: usize) -> isize, WRITE, ENOSPC, file != 2);
replaced!(writev(file: c_int, parts: Bytes, count: c_int) -> isize, WRITE, ENOSPC, file != 2);
replaced!(ftruncate64(file: c_int, length: i64) -> c_int, WRITE, ENOSPC, true);
replaced!(rename(from: Path, to: Path) -> c_int, RENAME, EIO, true);
replaced!(renameat(at: c_int, from: Path, to_at: c_int, to: Path) -> c_int, RENAME, EIO, true);
replaced!(renameat2(at: c_int, from: Path, to_at: c_int, to: Path, flags: u32) -> c_int, RENAME, EIO, true);
replaced!(linkat(at: c_int, from: Path, to_at: c_int, to: Path, flags: c_int) -> c_int, RENAME, EIO, true);
replaced!(fsync(file: c_int) -> c_int, SYNC, EIO, true);
replaced!(fdatasync(file: c_int) -> c_int, SYNC, EIO, true);
replaced!(mkdir(path: Path, mode: u32) -> c_int, FOLDER, ENOSPC, true);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_void,
    attributes: Bytes,
    start: *const c_void,
    argument: *mut c_void,
) -> c_int {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    type Create = unsafe extern "C" fn(*mut c_void, Bytes, *const c_void, *mut c_void) -> c_int;
    if fails(THREAD) {
        return EAGAIN;
    }
    unsafe {
        let next: Create = std::mem::transmute(next(&NEXT, c"pthread_create"));
        next(thread, attributes, start, argument)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    if no_memory(size) { std::ptr::null_mut() } else { unsafe { __libc_malloc(size) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let fails = no_memory(count.saturating_mul(size));
    if fails { std::ptr::null_mut() } else { unsafe { __libc_calloc(count, size) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    if no_memory(size) { std::ptr::null_mut() } else { unsafe { __libc_realloc(pointer, size) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if no_memory(size) {
        return ENOMEM;
    }
    unsafe { *place = __libc_memalign(alignment, size) };
    0
}

#[repr(C)]
pub struct Time {
    seconds: i64,
    nanoseconds: c_long,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Time) -> c_int {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    static OFFSET: AtomicI64 = AtomicI64::new(0);
    const HOUR: i64 = 3600;
    unsafe {
        let next: unsafe extern "C" fn(c_int, *mut Time) -> c_int =
            std::mem::transmute(next(&NEXT, c"clock_gettime"));
        let result = next(clock, time);
        if fails(CLOCK) {
            OFFSET.store(HOUR - OFFSET.load(Relaxed), Relaxed);
        }
        (*time).seconds += OFFSET.load(Relaxed);
        result
    }
}

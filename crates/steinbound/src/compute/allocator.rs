//! [`OneLineAllocator`]: an allocator that ends the program with one line where memory runs out.
//!
//! Memory that is refused to a vector or a string ends a Rust program by a signal and, where that is asked for, a
//! backtrace, and on stable Rust only the allocator itself can say something else.
#![expect(unsafe_code, reason = "an allocator is an unsafe trait; the calls are passed on as they came")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

use super::memory;

/// From this size on a request is compared with what there is. Linux promises more memory than it has, and later
/// ends some program without a word, ours or another one; to ask takes a few hundredths of the time that filling
/// these bytes takes.
const LARGE: usize = 32 << 20;

/// The allocator of the system, for a program rather than a library: if memory runs out it writes one line to
/// standard error and ends the program with exit code 1.
///
/// Requests of 32 MB and more that exceed [`available_memory`](crate::available_memory) and the machine's swap space are
/// treated as if the system had refused them. Files without a name are removed by the system; destructors do not run.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: steinbound::OneLineAllocator = steinbound::OneLineAllocator;
/// # fn main() { assert_eq!(vec![1; 10].len(), 10) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OneLineAllocator;

impl OneLineAllocator {
    /// Saves address space where that is limited (`ulimit -v`); to be called once, before threads are started.
    ///
    /// The GNU C library reserves 64 MB or more for each thread that allocates, although most of it stays empty.
    pub fn save_address_space() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        if memory::is_limited() {
            unsafe extern "C" {
                fn mallopt(parameter: i32, value: i32) -> i32;
            }
            const M_ARENA_MAX: i32 = -8;
            // SAFETY: a call without pointers; a parameter that is not known changes nothing.
            unsafe { mallopt(M_ARENA_MAX, 1) };
        }
    }
}

// SAFETY: every request goes to the allocator of the system with the arguments that came, and its answer is returned
// as it is; where there is none, these functions do not return. Asking for the available memory allocates texts far
// below `LARGE`, so that a request leads to at most one level of further requests.
unsafe impl GlobalAlloc for OneLineAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        refuse_excess(layout.size(), layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        refuse_excess(layout.size(), layout.size());
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        refuse_excess(size.saturating_sub(layout.size()), size);
        // SAFETY: as above; the pointer came from the same allocator.
        given(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

fn given(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        end(bytes);
    }
    pointer
}

fn refuse_excess(more: usize, bytes: usize) {
    if more >= LARGE && more as u128 > memory::obtainable() {
        end(bytes);
    }
}

/// Says once that memory is out, and ends the program. Nothing here allocates.
#[cold]
fn end(bytes: usize) -> ! {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    // Other threads that fail meanwhile wait until the first has spoken.
    while IS_SAID.swap(true, Ordering::SeqCst) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let mut line = Line { text: [0; 256], length: 0 };
    let mut place = [0; 20];
    let bytes = digits(bytes, &mut place);
    for part in ["error: out of memory: ", bytes, " more bytes were needed; ", REMEDY] {
        line.push(part);
    }
    quit(&line.text[..line.length])
}

const REMEDY: &str = "use fewer points, columns or threads, or allow more memory (ulimit -v, or the limit of the \
                      container or job)\n";

/// A line of bounded length that needs no memory of its own.
struct Line {
    text: [u8; 256],
    length: usize,
}

impl Line {
    fn push(&mut self, part: &str) {
        for byte in part.bytes() {
            if let Some(place) = self.text.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
    }
}

/// A number in decimal digits.
fn digits(mut number: usize, place: &mut [u8; 20]) -> &str {
    let mut start = place.len();
    while start > 0 && (number > 0 || start == place.len()) {
        start -= 1;
        place[start] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    std::str::from_utf8(&place[start..]).unwrap_or("many")
}

/// Writes to standard error and ends the program at once, without the locks and the cleaning that an ordinary end
/// needs and that may wait for the thread that is here.
#[cfg(unix)]
fn quit(line: &[u8]) -> ! {
    unsafe extern "C" {
        fn write(file: i32, bytes: *const u8, count: usize) -> isize;
        fn _exit(code: i32) -> !;
    }
    // SAFETY: the bytes are those of a slice; the other function has no conditions.
    unsafe {
        write(2, line.as_ptr(), line.len());
        _exit(1)
    }
}

#[cfg(not(unix))]
fn quit(line: &[u8]) -> ! {
    use std::io::Write;
    let _ = std::io::stderr().write_all(line);
    std::process::exit(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelt_without_memory() {
        for number in [0, 7, 10, 123_456_789, usize::MAX] {
            assert_eq!(digits(number, &mut [0; 20]), number.to_string());
        }
    }

    #[test]
    fn the_line_has_room_for_every_number() {
        let longest = "error: out of memory: ".len() + 20 + " more bytes were needed; ".len() + REMEDY.len();
        assert!(longest <= 256, "{longest}");
    }
}

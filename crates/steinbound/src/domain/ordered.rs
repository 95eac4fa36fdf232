//! A sequence in an order that its user knows: numbers are put behind others, taken out, and searched for.

/// Numbers from 0 in a sequence, as a tree that random priorities keep flat. Taking out and stepping on need no
/// comparison, so that a sequence whose order turns out to be inconsistent still loses and finds what it holds.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    links: Vec<Link>,
    root: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Link {
    parent: Option<u32>,
    /// Before and after.
    children: [Option<u32>; 2],
}

/// As good as random, and the same in every run.
fn priority(node: u32) -> u64 {
    let mixed = (u64::from(node) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

impl Ordered {
    fn link(&self, node: u32) -> Link {
        self.links.get(node as usize).copied().unwrap_or_default()
    }

    fn child(&self, node: u32, side: usize) -> Option<u32> {
        self.link(node).children[side]
    }

    /// The first or the last below a node.
    fn outermost(&self, mut node: u32, side: usize) -> u32 {
        while let Some(child) = self.child(node, side) {
            node = child;
        }
        node
    }

    fn attach(&mut self, node: Option<u32>, parent: Option<u32>, side: usize) {
        match parent {
            Some(parent) => self.links[parent as usize].children[side] = node,
            None => self.root = node,
        }
        if let Some(node) = node {
            self.links[node as usize].parent = parent;
        }
    }

    fn side_of(&self, node: u32) -> usize {
        let parent = self.link(node).parent;
        usize::from(parent.is_some_and(|parent| self.child(parent, 1) == Some(node)))
    }

    /// Exchanges a node with its parent; the order stays.
    fn lift(&mut self, node: u32) {
        let Some(parent) = self.link(node).parent else { return };
        let (side, above) = (self.side_of(node), self.link(parent).parent);
        let side_above = self.side_of(parent);
        self.attach(self.child(node, 1 - side), Some(parent), side);
        self.attach(Some(parent), Some(node), 1 - side);
        self.attach(Some(node), above, side_above);
    }

    /// Puts a number, which is not in the sequence, behind another, or first.
    pub(super) fn insert_after(&mut self, before: Option<u32>, node: u32) {
        if self.links.len() <= node as usize {
            self.links.resize(node as usize + 1, Link::default());
        }
        self.links[node as usize] = Link::default();
        let (parent, side) = match (before, self.root) {
            (None, None) => (None, 0),
            (None, Some(root)) => (Some(self.outermost(root, 0)), 0),
            (Some(before), _) => match self.child(before, 1) {
                None => (Some(before), 1),
                Some(after) => (Some(self.outermost(after, 0)), 0),
            },
        };
        self.attach(Some(node), parent, side);
        while self.link(node).parent.is_some_and(|parent| priority(parent) < priority(node)) {
            self.lift(node);
        }
    }

    /// Takes a number out, which is in the sequence.
    pub(super) fn remove(&mut self, node: u32) {
        loop {
            let [before, after] = self.link(node).children;
            let above = match (before, after) {
                (None, None) => break,
                (Some(only), None) | (None, Some(only)) => only,
                (Some(before), Some(after)) => match priority(before) > priority(after) {
                    true => before,
                    false => after,
                },
            };
            self.lift(above);
        }
        self.attach(None, self.link(node).parent, self.side_of(node));
    }

    /// The one that follows; the first after `None`.
    pub(super) fn after(&self, node: Option<u32>) -> Option<u32> {
        let Some(mut node) = node else { return self.root.map(|root| self.outermost(root, 0)) };
        if let Some(after) = self.child(node, 1) {
            return Some(self.outermost(after, 0));
        }
        while self.side_of(node) == 1 {
            node = self.link(node).parent?;
        }
        self.link(node).parent
    }

    /// The last of those for which something holds that holds for all before it, too.
    pub(super) fn last_where(&self, mut holds: impl FnMut(u32) -> bool) -> Option<u32> {
        let (mut last, mut next) = (None, self.root);
        while let Some(node) = next {
            let is_before = holds(node);
            last = if is_before { Some(node) } else { last };
            next = self.child(node, usize::from(is_before));
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::random::stream;

    /// Against a plain list.
    #[test]
    fn a_sequence_keeps_its_order() {
        let mut rng = stream(12, 0);
        let mut ordered = Ordered::default();
        let mut list: Vec<u32> = Vec::new();
        let mut free: Vec<u32> = (0..500).collect();
        for step in 0..6000 {
            let grows = rng.random_range(0..8) < if step % 2000 < 1000 { 5 } else { 3 };
            if grows && !free.is_empty() {
                let node = free.swap_remove(rng.random_range(0..free.len()));
                let at = rng.random_range(0..=list.len());
                ordered.insert_after(at.checked_sub(1).map(|at| list[at]), node);
                list.insert(at, node);
            } else if !list.is_empty() {
                let node = list.remove(rng.random_range(0..list.len()));
                ordered.remove(node);
                free.push(node);
            }
            if step % 50 == 0 {
                let mut found = Vec::new();
                while let Some(next) = ordered.after(found.last().copied()) {
                    found.push(next);
                }
                assert_eq!(found, list);
                let cut = rng.random_range(0..=list.len());
                let last = ordered.last_where(|node| list[..cut].contains(&node));
                assert_eq!(last, cut.checked_sub(1).map(|at| list[at]));
            }
        }
    }
}

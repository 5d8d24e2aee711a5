//! The links of a graph by their targets, compressed, in a file that is read sequentially.
//!
//! | part | content |
//! | --- | --- |
//! | data | per node, the number of nodes that link to it, the first of them, and for each other its distance from the previous one minus 1, as LEB128 |
//! | blocks | per run of nodes with about 64 KiB of data: nodes (u64), bytes (u64) |
//! | end | [`MAGIC`], nodes (u64), links (u64), blocks (u64) |
//!
//! Numbers are little-endian. Threads share the work by blocks, and sums over blocks are added up
//! in their order, so that a pass returns the same bits with any number of threads.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use pagekin_pages::Observer;
use rayon::prelude::*;

use crate::folder::leb128;

/// First bytes of the end.
pub(crate) const MAGIC: [u8; 8] = *b"pklinks1";
const END_BYTES: u64 = 32;
const ENTRY_BYTES: u64 = 16;
/// Size in bytes at which a block ends, after the current node.
const BLOCK_BYTES: u64 = 64 << 10;
/// Bytes of blocks that are read at a time, if one block is not larger.
const READ_BYTES: u64 = 8 << 20;

/// A run of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    nodes: u64,
    bytes: u64,
}

/// Encoded links of some nodes.
#[derive(Debug, Default)]
pub(crate) struct EncodedLinks {
    data: Vec<u8>,
    blocks: Vec<Block>,
    links: u64,
}

impl EncodedLinks {
    /// Adds the next node. `sources` are the nodes that link to it, in ascending order, each once.
    pub(crate) fn push(&mut self, sources: &[u32]) {
        let before = self.data.len();
        leb128::put(&mut self.data, sources.len() as u64);
        let mut min = 0;
        for &source in sources {
            debug_assert!(u64::from(source) >= min, "sources ascend");
            leb128::put(&mut self.data, u64::from(source) - min);
            min = u64::from(source) + 1;
        }
        let bytes = (self.data.len() - before) as u64;
        match self.blocks.last_mut() {
            Some(block) if block.bytes < BLOCK_BYTES => {
                block.nodes += 1;
                block.bytes += bytes;
            }
            _ => self.blocks.push(Block { nodes: 1, bytes }),
        }
        self.links += sources.len() as u64;
    }

    /// Encodes `nodes` with their links. `links` are pairs of target and source, in ascending
    /// order.
    pub(crate) fn from_links(nodes: Range<u32>, links: &[(u32, u32)]) -> Self {
        let (mut encoded, mut rest) = (Self::default(), links);
        let mut sources = Vec::new();
        for node in nodes {
            let (own, after) = rest.split_at(rest.partition_point(|&(target, _)| target <= node));
            sources.clear();
            sources.extend(own.iter().map(|&(_, source)| source));
            encoded.push(&sources);
            rest = after;
        }
        encoded
    }
}

/// Writes the links of all nodes.
#[derive(Debug)]
pub(crate) struct InLinksWriter<W> {
    into: W,
    blocks: Vec<Block>,
    nodes: u64,
    links: u64,
}

impl<W: Write> InLinksWriter<W> {
    pub(crate) fn new(into: W) -> Self {
        Self { into, blocks: Vec::new(), nodes: 0, links: 0 }
    }

    /// Appends nodes.
    pub(crate) fn extend(&mut self, encoded: &EncodedLinks) -> io::Result<()> {
        self.into.write_all(&encoded.data)?;
        self.blocks.extend_from_slice(&encoded.blocks);
        self.nodes += encoded.blocks.iter().map(|block| block.nodes).sum::<u64>();
        self.links += encoded.links;
        Ok(())
    }

    /// Writes the end and returns the output and the number of links.
    pub(crate) fn finish(self) -> io::Result<(W, u64)> {
        let Self { mut into, blocks, nodes, links } = self;
        let mut end = Vec::with_capacity(ENTRY_BYTES as usize * blocks.len() + 32);
        for block in &blocks {
            end.extend_from_slice(&block.nodes.to_le_bytes());
            end.extend_from_slice(&block.bytes.to_le_bytes());
        }
        end.extend_from_slice(&MAGIC);
        for number in [nodes, links, blocks.len() as u64] {
            end.extend_from_slice(&number.to_le_bytes());
        }
        into.write_all(&end)?;
        into.flush()?;
        Ok((into, links))
    }
}

/// The links of all nodes, for repeated passes.
#[derive(Debug)]
pub(crate) struct InLinks<R> {
    from: R,
    blocks: Vec<Block>,
    nodes: u32,
    links: u64,
}

impl InLinks<io::Cursor<Vec<u8>>> {
    /// Encodes a graph in memory from its number of nodes and its links, as (source, target) in any
    /// order. Duplicates count once, and links of a node to itself are dropped.
    pub(crate) fn from_links(
        nodes: u32,
        links: impl IntoIterator<Item = (u32, u32)>,
    ) -> io::Result<Self> {
        let mut links: Vec<(u32, u32)> =
            links.into_iter().filter(|(u, v)| u != v).map(|(u, v)| (v, u)).collect();
        links.sort_unstable();
        links.dedup();
        let mut writer = InLinksWriter::new(Vec::new());
        writer.extend(&EncodedLinks::from_links(0..nodes, &links))?;
        Self::open(io::Cursor::new(writer.finish()?.0))
    }
}

impl<R: Read + Seek + Send> InLinks<R> {
    /// Reads the end of the output of an [`InLinksWriter`].
    pub(crate) fn open(mut from: R) -> io::Result<Self> {
        let all = from.seek(SeekFrom::End(0))?;
        let before_end = all.checked_sub(END_BYTES).ok_or_else(|| damaged(NO_END))?;
        from.seek(SeekFrom::Start(before_end))?;
        let mut end = [0; END_BYTES as usize];
        from.read_exact(&mut end)?;
        let (magic, numbers) = end.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(damaged(NO_END));
        }
        let number = |at: usize| {
            let bytes = numbers.get(8 * at..8 * at + 8).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(u64::MAX, u64::from_le_bytes)
        };
        let (nodes, links, blocks) = (number(0), number(1), number(2));
        let table = blocks.checked_mul(ENTRY_BYTES).filter(|&bytes| bytes <= before_end);
        let table = table.ok_or_else(|| damaged("blocks within the file"))?;
        let data = before_end - table;
        from.seek(SeekFrom::Start(data))?;
        let mut bytes = vec![0; table as usize];
        from.read_exact(&mut bytes)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        let entry = |entry: &[[u8; 8]]| Block {
            nodes: u64::from_le_bytes(entry[0]),
            bytes: u64::from_le_bytes(entry[1]),
        };
        let blocks: Vec<Block> = numbers.chunks_exact(2).map(entry).collect();
        let sum = |of: fn(&Block) -> u64| {
            blocks.iter().try_fold(0u64, |sum, block| sum.checked_add(of(block)))
        };
        // A node takes at least a byte, so memory for nodes is proportional to the size of the
        // file.
        let is_block = |block: &Block| (1..=block.bytes).contains(&block.nodes);
        if sum(|block| block.bytes) != Some(data)
            || sum(|block| block.nodes) != Some(nodes)
            || !blocks.iter().all(is_block)
        {
            return Err(damaged("blocks that are all of the file"));
        }
        let nodes = u32::try_from(nodes).map_err(|_| damaged("fewer than 2^32 URLs"))?;
        Ok(Self { from, blocks, nodes, links })
    }

    pub(crate) fn nodes(&self) -> u32 {
        self.nodes
    }

    pub(crate) fn links(&self) -> u64 {
        self.links
    }

    /// Passes over the nodes of all blocks, on all threads. `of_block` receives the number of the
    /// first node of a block, the part of `column` for its nodes, and their links, and must read
    /// the links of each node. Returns its results in the order of the blocks.
    pub(crate) fn pass<C: Send, T: Send>(
        &mut self,
        column: &mut [C],
        observer: &dyn Observer,
        of_block: impl Fn(u32, &mut [C], &mut Lists<'_>) -> io::Result<T> + Sync,
    ) -> io::Result<Vec<T>> {
        assert_eq!(column.len(), self.nodes as usize, "a place in the column for each node");
        let Self { from, blocks, nodes, .. } = self;
        let groups = groups(blocks);
        let mut answers = Vec::with_capacity(blocks.len());
        from.seek(SeekFrom::Start(0))?;
        let mut read = |group: Option<&Range<usize>>| -> io::Result<Vec<u8>> {
            let blocks = group.map_or(&[][..], |group| &blocks[group.clone()]);
            let mut data = vec![0; blocks.iter().map(|block| block.bytes).sum::<u64>() as usize];
            from.read_exact(&mut data)?;
            Ok(data)
        };
        let mut data = read(groups.first())?;
        let (mut first, mut column) = (0, column);
        for (at, group) in groups.iter().enumerate() {
            if observer.cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let mut work = Vec::with_capacity(group.len());
            let mut rest = &data[..];
            for block in &blocks[group.clone()] {
                let (own, after) = rest.split_at(block.bytes as usize);
                let (places, others) = column.split_at_mut(block.nodes as usize);
                work.push((first, places, Lists { data: own, nodes: *nodes }));
                (rest, column, first) = (after, others, first + block.nodes as u32);
            }
            let (done, next) = rayon::join(
                || {
                    let each = |(first, places, mut lists): (u32, &mut [C], Lists<'_>)| {
                        let answer = of_block(first, places, &mut lists)?;
                        if lists.data.is_empty() { Ok(answer) } else { Err(damaged(NO_LINKS)) }
                    };
                    work.into_par_iter().map(each).collect::<io::Result<Vec<T>>>()
                },
                || read(groups.get(at + 1)),
            );
            answers.extend(done?);
            data = next?;
        }
        Ok(answers)
    }
}

/// Groups blocks that are read together.
fn groups(blocks: &[Block]) -> Vec<Range<usize>> {
    let (mut groups, mut begin, mut bytes) = (Vec::new(), 0, 0);
    for (at, block) in blocks.iter().enumerate() {
        if at > begin && bytes + block.bytes > READ_BYTES {
            groups.push(begin..at);
            (begin, bytes) = (at, 0);
        }
        bytes += block.bytes;
    }
    if begin < blocks.len() {
        groups.push(begin..blocks.len());
    }
    groups
}

/// The links of the nodes of a block.
#[derive(Debug)]
pub(crate) struct Lists<'a> {
    data: &'a [u8],
    nodes: u32,
}

impl Lists<'_> {
    /// Passes the nodes that link to the next node to `each`, in ascending order; returns their
    /// number.
    #[inline]
    pub(crate) fn next(&mut self, mut each: impl FnMut(u32)) -> io::Result<u32> {
        let degree = self.number()?;
        let mut min = 0u64;
        for _ in 0..degree {
            let source = min + self.number()?;
            if source >= u64::from(self.nodes) {
                return Err(damaged(NO_LINKS));
            }
            each(source as u32);
            min = source + 1;
        }
        // All sources are different nodes.
        Ok(degree as u32)
    }

    /// Reads the next number, below 2^35.
    #[inline]
    fn number(&mut self) -> io::Result<u64> {
        leb128::take(&mut self.data).ok_or_else(|| damaged(NO_LINKS))
    }
}

const NO_END: &str = "the end of a file of links";
const NO_LINKS: &str = "the URLs that link to each URL, ascending";

/// Returns the error for a file that does not contain `expected`.
pub(super) fn damaged(expected: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it is damaged: expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::Silent;
    use proptest::prelude::*;
    use std::io::Cursor;

    type Link = (u32, u32);

    /// Reads all links, as (target, source), and the number in each block.
    fn read(links: &mut InLinks<Cursor<Vec<u8>>>) -> io::Result<(Vec<Link>, usize)> {
        let mut column = vec![Vec::new(); links.nodes() as usize];
        let blocks = links.pass(&mut column, &Silent, |first, column, lists| {
            for sources in column {
                lists.next(|source| sources.push(source))?;
            }
            Ok(first)
        })?;
        assert!(blocks.is_sorted());
        let all = (0..)
            .zip(column)
            .flat_map(|(target, sources)| sources.into_iter().map(move |source| (target, source)));
        Ok((all.collect(), blocks.len()))
    }

    #[test]
    fn many_links_are_read_back_from_many_blocks() {
        let n = 40_000;
        let source = |at: u64| (pagekin_core::hash::mix(at) % u64::from(n)) as u32;
        // A node that nearly all others link to has its own block.
        let mut links: Vec<Link> =
            (0..4 * u64::from(n)).map(|at| (source(at), source(!at))).collect();
        links.extend((0..n).map(|node| (node, 7)));
        let mut all = InLinks::from_links(n, links.iter().copied()).unwrap();
        links.retain(|(u, v)| u != v);
        let mut expected: Vec<Link> = links.into_iter().map(|(u, v)| (v, u)).collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(all.links(), expected.len() as u64);
        for _ in 0..2 {
            let (found, blocks) = read(&mut all).unwrap();
            assert!(found == expected && blocks > 4, "{blocks} blocks");
        }
    }

    #[test]
    fn a_truncated_or_extended_file_is_refused() {
        let links = InLinks::from_links(5, [(0, 1), (2, 1), (4, 3)]).unwrap();
        let bytes = links.from.into_inner();
        for end in 0..bytes.len() {
            let error = InLinks::open(Cursor::new(bytes[..end].to_vec())).unwrap_err();
            assert!(error.to_string().contains("damaged"), "{end}: {error}");
        }
        let mut more = vec![0];
        more.extend_from_slice(&bytes);
        assert!(InLinks::open(Cursor::new(more)).is_err());
    }

    proptest! {
        #[test]
        fn links_are_read_back(n in 1u32..300, pairs: Vec<(u32, u32)>) {
            let pairs: Vec<Link> = pairs.into_iter().map(|(u, v)| (u % n, v % n)).collect();
            let mut links = InLinks::from_links(n, pairs.iter().copied()).unwrap();
            let mut expected: Vec<Link> =
                pairs.into_iter().filter(|(u, v)| u != v).map(|(u, v)| (v, u)).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(read(&mut links).unwrap().0, expected);
        }

        #[test]
        fn a_changed_file_is_refused_or_read_as_links_within_the_graph(
            n in 1u32..30, pairs: Vec<(u32, u32)>, at: prop::sample::Index, to: u8,
        ) {
            let links = InLinks::from_links(n, pairs.into_iter().map(|(u, v)| (u % n, v % n))).unwrap();
            let mut bytes = links.from.into_inner();
            let at = at.index(bytes.len());
            bytes[at] = to;
            if let Ok(mut links) = InLinks::open(Cursor::new(bytes)) {
                let n = links.nodes();
                if let Ok((read, _)) = read(&mut links) {
                    prop_assert!(read.iter().all(|&(target, source)| target < n && source < n));
                    prop_assert!(read.is_sorted_by(|a, b| a < b));
                }
            }
        }
    }
}

//! Ranks the pages of a site by the links between them, in memory.

use std::io;

use pagekin_pages::Silent;
use pagekin_pages::site::link_graph::LinkGraph;

use crate::rank::in_links::InLinks;
use crate::rank::iterate::{Walk, iterate};

/// Returns, for each of `pages` pages, the share of the other pages that rank below it: 0 to 1.
///
/// # Errors
///
/// If the graph has more than 2^32 links.
pub fn parts_below(links: &LinkGraph, pages: u32) -> io::Result<Vec<f32>> {
    let all = (0..pages).flat_map(|page| links.linked_by(page).iter().map(move |&to| (page, to)));
    let ranks = iterate(&mut InLinks::from_links(pages, all)?, &Walk::PAPER, &Silent)?.ranks;
    let mut sorted = ranks.clone();
    sorted.sort_by(f64::total_cmp);
    let others = f64::from(pages.max(2) - 1);
    let below = |rank: f64| sorted.partition_point(|&other| other < rank) as f64 / others;
    Ok(ranks.into_iter().map(|rank| below(rank) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_with_more_in_links_ranks_higher() {
        // 0 and 1 link to 2, which links to 3; nothing links to 4, and nothing to 0 and 1.
        let links = LinkGraph::new(vec![vec![2], vec![2], vec![3], vec![], vec![]], &[false; 5]);
        assert_eq!(parts_below(&links, 5).unwrap(), [0.0, 0.0, 0.75, 1.0, 0.0]);
    }
}

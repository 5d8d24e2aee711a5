//! Tests of what site owners and visitors rely on: building an index, related pages, lookups, and
//! their costs.

#[cfg(unix)]
mod action;
mod bad_input;
mod clean_urls;
mod commands;
mod components;
mod config;
mod costs;
mod determinism;
mod forged;
mod formats;
mod lab;
mod lab_python;
mod languages;
mod layouts;
mod markup;
mod mcp;
mod meaning;
mod mirrors;
mod near;
mod offline;
mod order;
mod pages;
mod passages;
mod preview;
mod recipes;
mod records;
mod related;
mod texts;
mod trees;
mod truth;
mod twin;
mod words;

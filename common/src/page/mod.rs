//! Bytes to text to tree to leaves.

//! What the pages of a site say of one of them, as weights. Written by `train/kinds.py` from 21 sites; not by hand.

/// The weight of each input, and the constant.
pub(super) const WEIGHTS: [(&str, f64); 7] = [
    ("the page alone", 0.902),
    ("folders", 0.420),
    ("shape of the address", -0.186),
    ("place of the text", 0.277),
    ("place of the headline", 1.065),
    ("the whole site", -0.753),
    ("constant", -0.007),
];

//! Small tables in; grids, orientations, records out.
